// A link that signs a person in once (docs/console.md#signing-in). Who asks for one holds CONSOLE_KEY, and proves it by sealing the keys that
// the link stands for; the console answers with a random code, so nothing that opens anything stands in an address.
import { z } from 'zod';
import { SERVICES } from '@parley/runtime';
import type { Tickets } from './tickets.ts';

const KEY_CHARACTERS_MAX = 256;

/** API keys by service: any of the three may be absent. */
export const serviceKeys = z.partialRecord(z.enum(SERVICES), z.string().min(1).max(KEY_CHARACTERS_MAX));
export type ServiceKeys = z.output<typeof serviceKeys>;

/** What the ticket of a link holds. `label`: who made it, for the log. */
export const linkContent = z.strictObject({ keys: serviceKeys, label: z.string().max(120) });

/** From the sealing to the console's answer; the link itself lives longer. */
const ON_ITS_WAY_SECONDS = 60;
const ANSWER_WITHIN_MS = 10_000;

const answered = z.object({ url: z.string(), expires_at: z.string() });

export interface LinkRequest {
  /** Where the console answers. */
  readonly consoleUrl: string;
  readonly tickets: Tickets;
  readonly keys: ServiceKeys;
  readonly label: string;
}

/** @throws Error when the console does not answer, or holds another CONSOLE_KEY. */
export async function requestLink({ consoleUrl, tickets, keys, label }: LinkRequest) {
  const ticket = await tickets.seal(
    'link',
    { keys, label } satisfies z.input<typeof linkContent>,
    ON_ITS_WAY_SECONDS,
  );
  const response = await fetch(new URL('/session/links', consoleUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await response.text();
  if (response.status !== 201)
    throw new Error(`the console at ${consoleUrl} answers ${response.status}: ${text}`);
  return answered.parse(JSON.parse(text));
}
