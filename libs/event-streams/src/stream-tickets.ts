// Tickets that open one event stream: a browser's EventSource cannot send an Authorization header, and a credential has no place in
// a URL. A ticket is good for a minute and for one use, on whichever replica.
import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { Caller, OwnCredential } from '@parley/http';
import type { Sql } from '@parley/postgres';
import type { Clock } from '@parley/runtime';

const TICKET_LIVES_MS = 60_000;
/** As long as an API key: not to be guessed. */
const TICKET_BYTES = 32;
const TICKET = /^st_[A-Za-z0-9_-]{43}$/;

interface TicketDeps {
  readonly sql: Sql;
  readonly clock: Clock;
}

/** Kept is the ticket's hash, with what its stream has to know of who asked. */
export async function makeTicket(
  { sql, clock }: TicketDeps,
  organizationId: string,
  holder: object,
): Promise<{ ticket: string; expiresAt: Date }> {
  const ticket = `st_${randomBytes(TICKET_BYTES).toString('base64url')}`;
  const expiresAt = new Date(clock() + TICKET_LIVES_MS);
  await sql(
    'INSERT INTO stream_tickets (hash, organization_id, caller, expires_at) VALUES ($1, $2, $3::jsonb, $4)',
    [hashOf(ticket), organizationId, JSON.stringify(holder), expiresAt],
  );
  return { ticket, expiresAt };
}

/**
 * `?ticket=` in the place of a Bearer credential. Whoever deletes the row has used it.
 * @param callerOf the caller as the stream sees it; null: the ticket opens something else
 */
export function ticketCredential(
  { sql, clock }: TicketDeps,
  madeBy: string,
  callerOf: (
    held: unknown,
    params: Readonly<Record<string, unknown>>,
  ) => Pick<Caller, 'principal' | 'subject'> | null,
): OwnCredential {
  return {
    scheme: {
      name: 'streamTicket',
      in: 'query',
      parameter: 'ticket',
      description: `A ticket of ${madeBy}: 60 seconds, one use.`,
    },
    orBearer: true,
    verify: async ({ query, params }) => {
      const { ticket } = query;
      if (ticket === undefined) return null;
      if (typeof ticket !== 'string' || !TICKET.test(ticket)) throw refused();
      const [row] = await sql<{ organization_id: string; caller: unknown }>(
        'DELETE FROM stream_tickets WHERE hash = $1 AND expires_at > $2 RETURNING organization_id, caller',
        [hashOf(ticket), new Date(clock())],
      );
      const caller = row ? callerOf(row.caller, params) : null;
      if (!row || !caller) throw refused();
      return {
        organizationId: row.organization_id,
        kind: 'signature',
        scopes: new Set(['read'] as const),
        ...caller,
      };
    },
  };
}

/** $1 now, $2 how many. */
export const OLD_TICKETS = `
  DELETE FROM stream_tickets WHERE hash IN (SELECT hash FROM stream_tickets WHERE expires_at <= $1 LIMIT $2::int)
  RETURNING 1`;

function refused(): AppError {
  return new AppError(
    'unauthorized',
    'ticket: not valid, used already, or older than a minute: ask for another',
  );
}

function hashOf(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}
