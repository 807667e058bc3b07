// A request to a running console that needs CONSOLE_KEY: sealed, and valid for a minute.
import type { TicketKind, Tickets } from './tickets.ts';

const ON_ITS_WAY_SECONDS = 60;
const ANSWER_WITHIN_MS = 10_000;

export interface ConsoleRequest {
  /** URL of the console. */
  readonly consoleUrl: string;
  readonly tickets: Tickets;
}

/** @throws Error when the console does not answer, or has another CONSOLE_KEY. */
export async function askConsole(
  { consoleUrl, tickets }: ConsoleRequest,
  path: string,
  kind: TicketKind,
  content: object,
): Promise<unknown> {
  const ticket = await tickets.seal(kind, content, ON_ITS_WAY_SECONDS);
  const response = await fetch(new URL(path, consoleUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the console at ${consoleUrl} answers ${response.status}: ${text}`);
  return JSON.parse(text) as unknown;
}
