// Kills workers until a row is quarantined (docs/platform.md#quarantine).
import { eventually } from '@parley/testing';
import { SILENT_PATH, type AttackContext } from './attack.ts';
import type { Answer } from './send.ts';

const WITHIN_MS = 60_000;
const DEATHS = 3;

/**
 * Kills the process whenever the silent receiver has a delivery in flight, until `look` reports
 * quarantine. Returns the metrics.
 */
export async function killUntilQuarantined(
  { ask, receiver, kill }: AttackContext,
  look: () => Promise<Answer>,
): Promise<Answer> {
  const countInFlight = () => receiver.requests.filter(({ path }) => path === SILENT_PATH).length;
  const before = countInFlight();
  for (let deaths = 0; deaths < DEATHS; deaths += 1) {
    await eventually(() => countInFlight() > before + deaths, { timeoutMs: WITHIN_MS });
    await kill();
  }
  await eventually(async () => (await look()).text.includes('"quarantined"'), { timeoutMs: WITHIN_MS });
  return ask({ method: 'GET', path: '/metrics' });
}
