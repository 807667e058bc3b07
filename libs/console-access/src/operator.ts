// What an operator asks of a running console: who is signed in, and to end sessions (docs/console.md#sessions).
import { z } from 'zod';
import { askConsole, type ConsoleRequest } from './ask-console.ts';

/** What the ticket holds: which sessions, and whether they end. */
export const operatorRequest = z.strictObject({
  action: z.enum(['list', 'end']),
  which: z.union([
    z.strictObject({ id: z.string() }),
    z.strictObject({ person: z.string() }),
    z.strictObject({ all: z.literal(true) }),
  ]),
});
export type OperatorRequest = z.output<typeof operatorRequest>;

const listedSession = z.object({
  /** Names it, and opens nothing. */
  id: z.string(),
  with: z.enum(['keys', 'identity']),
  /** What the identity token says of them; null with keys. */
  person: z.string().nullable(),
  /** Those that there is a key for; empty with an identity token, which is for all. */
  services: z.array(z.string()),
  begun_at: z.string(),
  ends_at: z.string(),
});
export type ListedSession = z.output<typeof listedSession>;

/** The sessions that the console lists, or has ended. */
export async function askForSessions(console: ConsoleRequest, request: OperatorRequest) {
  const answer = await askConsole(console, '/session/sessions', 'operator', request);
  return z.object({ sessions: z.array(listedSession) }).parse(answer).sessions;
}
