// Redocly's recommended rules find nothing in the OpenAPI documents (docs/sdk.md#other-clients).
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { SERVICES } from './operations-table.ts';

jest.setTimeout(120_000); // some seconds each, on a machine with nothing else to do

interface OpenApi<Schema> {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>
  >;
  readonly components: { readonly schemas: Record<string, Schema> };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('no body of notifications has a member named like a kind of parameter', () => {
  interface Schema {
    readonly $ref?: string;
    readonly properties?: object;
  }
  const { paths, components } = JSON.parse(
    readFileSync(`${root}apps/notifications/openapi.json`, 'utf8'),
  ) as OpenApi<Schema>;
  const bodies = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ requestBody }) => requestBody?.content['application/json'].schema ?? [])
    .map(({ $ref, ...schema }) => ($ref ? components.schemas[$ref.split('/').at(-1)!]! : schema));
  const names = bodies.flatMap(({ properties = {} }) => Object.keys(properties));
  expect(names).toEqual(expect.arrayContaining(['channels', 'user_id']));
  expect(names.filter((name) => ['query', 'path', 'header'].includes(name))).toEqual([]);
});

test.each(Object.values(SERVICES))('the document of %s has no fault and no warning', async (service) => {
  const program = ['node_modules/@redocly/cli/bin/cli.js', 'lint', `apps/${service}/openapi.json`];
  const options = ['--config', 'libs/sdk/test/redocly.yaml', '--format', 'json'];
  const env = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, [...program, ...options], {
    cwd: root,
    env,
  }).catch(
    (error: { stdout: string }) => error, // faults are its exit status as well
  );
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: { message: string }[] };
  expect(problems).toEqual([]);
});
