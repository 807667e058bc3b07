// Requests of an operator to a running console: list sessions, and end them
// (docs/console.md#sessions).
import { z } from 'zod';
import { askConsole, type ConsoleRequest } from './ask-console.ts';

/** The content of the ticket: which sessions, and whether they end. */
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
  /** Identifies it, and is no credential. */
  id: z.string(),
  with: z.enum(['keys', 'identity']),
  /** The person in the identity token; null with keys. */
  person: z.string().nullable(),
  /** Services with a key; empty with an identity token, which is for all. */
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
