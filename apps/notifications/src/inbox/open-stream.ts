// GET /v1/notifications/stream: server-sent events of one inbox, and the tickets that open it.
import { z } from 'zod';
import { notificationsDialect } from '@parley/envelopes';
import {
  createTicket,
  createStreamReply,
  ticketCredential,
  type StreamRequest,
} from '@parley/server/event-streams';
import type { Caller, StreamReply } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { getReader } from '../callers/reader.ts';

export async function openInboxStream(
  deps: Pick<Deps, 'inboxHub' | 'limits'>,
  caller: Caller,
  request: StreamRequest & { readonly user_id?: string | undefined },
): Promise<StreamReply> {
  const reader = getReader(caller, request.user_id);
  const { caps } = deps.limits;
  const allowed = {
    ofOrganization: await caps.of(reader.organizationId, 'event_streams'),
    ofReader: await caps.of(reader.organizationId, 'event_streams_per_reader'),
  };
  return createStreamReply(deps.inboxHub, caller, reader, allowed, request);
}

/** What a ticket stores of the caller. */
const holder = z.object({
  principal: z.string(),
  user_id: z.string().nullable(),
  /** Absent in tickets of the release before. */
  sees_links: z.boolean().optional(),
});

/** POST /v1/notifications/stream-ticket */
export async function makeStreamTicket(
  deps: Pick<Deps, 'sql' | 'clock'>,
  caller: Caller,
  userId: string | undefined,
) {
  const reader = getReader(caller, userId);
  const held: z.input<typeof holder> = {
    principal: caller.principal,
    user_id: reader.userId,
    sees_links: reader.seesLinks,
  };
  const { ticket, expiresAt } = await createTicket(deps, reader.organizationId, held);
  return { ticket, expires_at: notificationsDialect.time(expiresAt) };
}

export function inboxTicket(deps: Pick<Deps, 'sql' | 'clock'>) {
  return ticketCredential(deps, 'POST /v1/notifications/stream-ticket', (held) => {
    const { principal, user_id: userId, sees_links: seesLinks } = holder.parse(held);
    return {
      principal,
      ...(userId === null ? {} : { subject: userId }),
      ...(seesLinks ? { scopes: new Set(['read', 'write'] as const) } : {}),
    };
  });
}
