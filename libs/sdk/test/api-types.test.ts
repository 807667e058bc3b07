// src/generated equals the services' openapi.json (docs/sdk.md#made-from-the-documents). `npm run
// docs` writes it.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, jest, test } from '@jest/globals';
import { generatedFile } from '@parley/testing';
import { Parley } from '../src/index.ts';
import { documentOf, operationsOf, operationsTable, SERVICES } from './operations-table.ts';
import { pythonMethods } from './python-methods.ts';

jest.setTimeout(60_000); // five seconds each, on a machine with nothing else to do

const root = fileURLToPath(new URL('../../..', import.meta.url));
const generated = (name: string) => new URL(`../src/generated/${name}.ts`, import.meta.url);

test.each(Object.values(SERVICES))('the types of %s are up to date', (service) => {
  // A request may omit a member with a default.
  const options = ['--default-non-nullable', 'false'];
  const program = ['node_modules/openapi-typescript/bin/cli.js', `apps/${service}/openapi.json`, ...options];
  const text = execFileSync(process.execPath, program, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  expect(generatedFile(generated(service), text)).toBe(text);
});

test('the table of operations is up to date', () => {
  const text = operationsTable();
  expect(generatedFile(generated('operations'), text)).toBe(text);
});

test.each(Object.values(SERVICES))('the methods of %s in Python are up to date', (service) => {
  const module = `../../sdk-python/src/parley_sdk/generated/${service.replace('-', '_')}.py`;
  const text = pythonMethods(service);
  expect(generatedFile(new URL(module, import.meta.url), text)).toBe(text);
});

test.each(Object.entries(SERVICES))(
  '%s has a method for every operation of %s, and no other',
  (name, service) => {
    const client = new Parley({})[name as keyof typeof SERVICES];
    const described = operationsOf(documentOf(service)).map(({ operation }) => operation.operationId);
    expect(Object.keys(client).sort()).toEqual(described.sort());
    expect(Object.values(client).every((method) => typeof method === 'function')).toBe(true);
  },
);

test('no parameter is named `body` or like an option of the Python SDK', () => {
  const taken = ['body', 'timeout', 'retries', 'headers', 'idempotency_key', 'query'];
  const parameters = Object.values(SERVICES).flatMap((service) =>
    operationsOf(documentOf(service)).flatMap(({ operation }) => operation.parameters ?? []),
  );
  expect(parameters.filter((one) => taken.includes(one.name))).toEqual([]);
});
