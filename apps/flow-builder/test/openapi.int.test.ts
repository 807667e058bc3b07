// openapi.json matches the service. `npm run docs` writes it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { storedOpenApi } from '@parley/testing-services';
import { startFlowBuilder } from './service.ts';

let service: Awaited<ReturnType<typeof startFlowBuilder>>;
beforeAll(async () => {
  service = await startFlowBuilder();
});
afterAll(() => service.stop());

test('the stored description matches the running service', async () => {
  const file = new URL('../openapi.json', import.meta.url);
  const { actual, expected } = await storedOpenApi(service.server.url, file);
  expect(actual).toBe(expected);
});
