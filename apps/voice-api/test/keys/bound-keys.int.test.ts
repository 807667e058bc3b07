// Keys that are bound to bots (docs/platform.md#bound-keys). Every operation of /openapi.json is
// closed to them or has a probe that tests data of another bot and of their own. Covers new routes
// automatically.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { listOperations } from '@parley/testing-services';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { probes } from './probes.ts';
import { twoBots } from './two-bots.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

/** How the reference marks operations that are open to bound keys. */
const FOR_BOUND_KEYS = 'A key bound to bots may call it.';

let voice: VoiceApi;
beforeAll(async () => {
  voice = await startVoiceApi();
});
afterAll(() => voice.stop());

test('every operation is closed to a bound key or limited to its bots', async () => {
  const operations = await listOperations(voice);
  const open = operations.filter(({ description }) => description.includes(FOR_BOUND_KEYS));
  expect(open.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(probes).sort());
  const { statusOf } = await twoBots(voice);
  for (const operation of operations) {
    const probe = probes[operation.operationId];
    if (probe) {
      await probe(await twoBots(voice), operation);
      continue;
    }
    const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
    const { status, text } = await statusOf({ ...operation, path }, operation.takesBody ? {} : undefined);
    expect([operation.operationId, status, text]).toEqual([
      operation.operationId,
      403,
      expect.stringContaining('NOT_FOR_BOUND_KEYS'),
    ]);
  }
});
