// Tickets that open one event stream: a browser's EventSource cannot send an Authorization header, and a credential has no place in
// a URL. A ticket is good for a minute and for one use, on whichever replica.
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError, notificationsDialect } from '@parley/envelopes';
import type { Caller, OwnCredential } from '@parley/http';
import type { Deps } from '../deps.ts';
import { readerOf } from './reader.ts';

export const TICKET_LIVES_MS = 60_000;
/** As long as an API key: not to be guessed. */
const TICKET_BYTES = 32;
const TICKET = /^st_[A-Za-z0-9_-]{43}$/;

type TicketDeps = Pick<Deps, 'sql' | 'clock'>;

/** What a ticket keeps of whoever asked for it. */
const holder = z.object({ principal: z.string(), user_id: z.string().nullable() });

/** POST /v1/notifications/stream-ticket. Kept is the ticket's hash only. */
export async function makeStreamTicket(deps: TicketDeps, caller: Caller, userId: string | undefined) {
  const reader = readerOf(caller, userId);
  const ticket = `st_${randomBytes(TICKET_BYTES).toString('base64url')}`;
  const expiresAt = new Date(deps.clock() + TICKET_LIVES_MS);
  await deps.sql(
    'INSERT INTO stream_tickets (hash, organization_id, caller, expires_at) VALUES ($1, $2, $3::jsonb, $4)',
    [
      hashOf(ticket),
      reader.organizationId,
      JSON.stringify({ principal: caller.principal, user_id: reader.userId } satisfies z.input<
        typeof holder
      >),
      expiresAt,
    ],
  );
  return { ticket, expires_at: notificationsDialect.time(expiresAt) };
}

/** `?ticket=` in the place of a Bearer credential. Whoever deletes the row has used it. */
export function ticketCredential({ sql, clock }: TicketDeps): OwnCredential {
  return {
    scheme: {
      name: 'streamTicket',
      in: 'query',
      parameter: 'ticket',
      description: 'A ticket of POST /v1/notifications/stream-ticket: 60 seconds, one use.',
    },
    orBearer: true,
    verify: async ({ query }) => {
      const { ticket } = query;
      if (ticket === undefined) return null;
      if (typeof ticket !== 'string' || !TICKET.test(ticket)) throw refused();
      const [row] = await sql<{ organization_id: string; caller: unknown }>(
        'DELETE FROM stream_tickets WHERE hash = $1 AND expires_at > $2 RETURNING organization_id, caller',
        [hashOf(ticket), new Date(clock())],
      );
      if (!row) throw refused();
      const { principal, user_id: userId } = holder.parse(row.caller);
      return {
        organizationId: row.organization_id,
        kind: 'signature',
        principal,
        scopes: new Set(['read'] as const),
        ...(userId === null ? {} : { subject: userId }),
      };
    },
  };
}

function refused(): AppError {
  return new AppError(
    'unauthorized',
    'ticket: not valid, used already, or older than a minute: ask for another',
  );
}

function hashOf(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest();
}
