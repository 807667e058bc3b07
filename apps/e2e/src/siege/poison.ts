// Work that whoever takes it in hand dies of (docs/platform.md#quarantine).
import { eventually } from '@parley/testing';
import { SILENT_PATH, type Field } from './attack.ts';
import type { Answer } from './send.ts';

const WITHIN_MS = 60_000;
const DEATHS = 3;

/**
 * Kills the process whenever the receiver that never answers has it in hand, then waits until `look` says that it is quarantined. Gives
 * what the operator is told.
 */
export async function untilSetAside(
  { ask, receiver, kill }: Field,
  look: () => Promise<Answer>,
): Promise<Answer> {
  const inHand = () => receiver.requests.filter(({ path }) => path === SILENT_PATH).length;
  const before = inHand();
  for (let deaths = 0; deaths < DEATHS; deaths += 1) {
    await eventually(() => inHand() > before + deaths, { timeoutMs: WITHIN_MS });
    await kill();
  }
  await eventually(async () => (await look()).text.includes('"quarantined"'), { timeoutMs: WITHIN_MS });
  return ask({ method: 'GET', path: '/metrics' });
}
