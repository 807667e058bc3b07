// openapi.json describes the running service. `npm run docs` writes it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { storedOpenApi } from '@parley/testing-services';
import { startPush } from './push/push.ts';

let service: Awaited<ReturnType<typeof startPush>>;
beforeAll(async () => {
  service = await startPush({ worker: false });
});
afterAll(() => service.stop());

test('the stored description equals that of the running service', async () => {
  const file = new URL('../openapi.json', import.meta.url);
  const { actual, expected } = await storedOpenApi(service.server.url, file);
  expect(actual).toBe(expected);
});
