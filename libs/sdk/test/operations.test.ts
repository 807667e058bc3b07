// Both SDKs have the operations of the stored OpenAPI documents
// (docs/sdk.md#made-from-the-documents). `npm run docs` writes them.
import { expect, test } from '@jest/globals';
import { generatedFile } from '@parley/testing';
import { format } from 'prettier';
import { Parley } from '../src/index.ts';
import { documentOf, operationsOf, operationsTable, SERVICES } from './operations-table.ts';
import { pythonMethods } from './python-methods.ts';

test('the table of operations is up to date', async () => {
  const style = { parser: 'typescript', singleQuote: true, printWidth: 110 };
  const text = await format(operationsTable(), style);
  expect(generatedFile(new URL('../src/operations.ts', import.meta.url), text)).toBe(text);
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
