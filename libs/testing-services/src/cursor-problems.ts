// Invented cursors: a list refuses them or starts anywhere, and never answers 500.
import type { Platform } from '@parley/platform';
import { listOperations, pathToSomething, type TenantMatrix } from './access-matrix.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

const INTEGER_BEYOND = 2 ** 31;
const KEYS: readonly (readonly unknown[])[] = [
  [''],
  ['\0'],
  [0],
  [-1],
  [INTEGER_BEYOND],
  [1.5],
  [INTEGER_BEYOND, 'a'],
  [Number.MAX_SAFE_INTEGER, 'a'],
  [1e300, 'a'],
  [-1e15, 'a'],
  ['a', 1e300],
  ['duration_seconds', 1e300, 'a'],
  ['started_at', Number.MAX_SAFE_INTEGER, 'a'],
  [INTEGER_BEYOND, 0, 0, 0],
  [0, INTEGER_BEYOND, 0, 0],
  [0, 0, 1e300, -1],
];

export async function cursorProblems(
  service: Pick<ServiceUnderTest<Platform>, 'server' | 'deps' | 'issueKey'>,
  matrix: TenantMatrix,
): Promise<string[]> {
  const authorization = `Bearer ${await service.issueKey('cursors')}`;
  const problems: string[] = [];
  for (const { method, path, operationId } of await listOperations(service)) {
    if (method !== 'get') continue;
    const target = service.server.url + (await pathToSomething(path, matrix, 'cursors'));
    for (const key of KEYS) {
      const cursor = Buffer.from(JSON.stringify(key)).toString('base64url');
      const answer = await fetch(`${target}?cursor=${cursor}`, { headers: { authorization } });
      await answer.body?.cancel();
      if (answer.status >= 500)
        problems.push(`${operationId}: ${answer.status} for the cursor ${JSON.stringify(key)}`);
    }
  }
  return problems;
}
