// An empty id or dots, as clients and proxies resolve them, must not reach another endpoint.
import { request } from 'node:http';
import type { Platform } from '@parley/platform';
import { listOperations, type Operation } from './access-matrix.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

type Service = Pick<ServiceUnderTest<Platform>, 'server' | 'deps' | 'issueKey'>;

/** Ids that a URL parser, a proxy or a router may change. Percent-encoded, so that they arrive. */
const CHANGED = ['.', '..', '...', '%2e%2e', 'a/b', 'a\\b', 'a\tb', 'a\nb', 'a?b', 'a#b', 'a ', '100%'];

/**
 * A trailing slash or an empty id is 404 for each operation. A PUT that creates what its path names
 * refuses ids that a URL parser changes. `made`: the parameter that a PUT creates, by operation id,
 * with a valid body.
 */
export async function pathProblems(
  service: Service,
  made: Readonly<Record<string, { readonly parameter: string; readonly body: object }>> = {},
): Promise<string[]> {
  const key = await service.issueKey('path-problems');
  const statusOf = async ({ method, takesBody }: Operation, path: string, body: object = {}) => {
    const response = await fetch(service.server.url + path, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(takesBody ? { body: JSON.stringify(body) } : {}),
    });
    await response.body?.cancel();
    return response.status;
  };
  const problems: string[] = [];
  const expectStatus = (found: number, expected: number, { method }: Operation, path: string) => {
    if (found !== expected) problems.push(`${method} ${path}: ${found}, expected is ${expected}`);
  };
  for (const operation of await listOperations(service)) {
    const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
    expectStatus(await statusOf(operation, `${path}/`), 404, operation, `${path}/`);
    for (const parameter of operation.path.match(/\{\w+\}/g) ?? []) {
      const empty = operation.path.replace(parameter, '').replaceAll(/\{\w+\}/g, 'none');
      expectStatus(await statusOf(operation, empty), 404, operation, empty);
    }
    const { parameter, body } = made[operation.operationId] ?? {};
    for (const id of parameter === undefined ? [] : CHANGED) {
      const named = operation.path
        .replace(`{${parameter}}`, encodeURIComponent(id).replaceAll('.', '%2E'))
        .replaceAll(/\{\w+\}/g, 'none');
      expectStatus(await rawStatus(service, operation.method, named, key, body), 400, operation, named);
    }
  }
  return problems;
}

/** `fetch` resolves `%2E%2E` as dots; this sends the path unchanged. */
function rawStatus({ server }: Service, method: string, path: string, key: string, body?: object) {
  return new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request({ hostname, port, path, method: method.toUpperCase(), headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body ?? {}));
  });
}
