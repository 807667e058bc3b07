// Tickets that open one event stream: EventSource cannot send an Authorization header, and URLs
// must not hold credentials. A ticket is valid for a minute and for one use, on any replica.
import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { Caller, OwnCredential } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';

const TICKET_LIVES_MS = 60_000;
/** As long as an API key, so that it cannot be guessed. */
const TICKET_BYTES = 32;
const TICKET = /^st_[A-Za-z0-9_-]{43}$/;

interface TicketDeps {
  readonly sql: Sql;
  readonly clock: Clock;
}

/** Stores the ticket's hash with what its stream must know about the caller. */
export async function createTicket(
  { sql, clock }: TicketDeps,
  organizationId: string,
  holder: object,
): Promise<{ ticket: string; expiresAt: Date }> {
  const ticket = `st_${randomBytes(TICKET_BYTES).toString('base64url')}`;
  const expiresAt = new Date(clock() + TICKET_LIVES_MS);
  await sql(
    'INSERT INTO stream_tickets (hash, organization_id, caller, expires_at) VALUES ($1, $2, $3::jsonb, $4)',
    [computeHash(ticket), organizationId, JSON.stringify(holder), expiresAt],
  );
  return { ticket, expiresAt };
}

/**
 * `?ticket=` instead of a Bearer credential. Deleting the row uses the ticket.
 * @param callerOf the caller as the stream sees it; null: the ticket is for another stream
 */
export function ticketCredential(
  { sql, clock }: TicketDeps,
  madeBy: string,
  callerOf: (
    held: unknown,
    params: Readonly<Record<string, unknown>>,
  ) => (Pick<Caller, 'principal' | 'subject'> & Partial<Pick<Caller, 'scopes'>>) | null,
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
      if (typeof ticket !== 'string' || !TICKET.test(ticket)) throw createRefusal();
      const [row] = await sql<{ organization_id: string; caller: unknown }>(
        'DELETE FROM stream_tickets WHERE hash = $1 AND expires_at > $2 RETURNING organization_id, caller',
        [computeHash(ticket), new Date(clock())],
      );
      const caller = row ? callerOf(row.caller, params) : null;
      if (!row || !caller) throw createRefusal();
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

function createRefusal(): AppError {
  return new AppError(
    'unauthorized',
    'ticket: invalid, already used, or older than a minute: create another',
  );
}

function computeHash(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}
