// GET /v1/conversations/{id}/stream: streams events as they are applied; and tickets for it.
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import {
  createTicket,
  createStreamReply,
  ticketCredential,
  type StreamRequest,
} from '@parley/server/event-streams';
import { hasScope, type Caller, type Scope, type StreamReply } from '@parley/server/http';
import { findConversation } from '../conversations/read-conversations.ts';
import type { Deps } from './deps.ts';

/** @throws AppError not_found, concurrency_limited */
export async function openConversationStream(
  deps: Pick<Deps, 'sql' | 'conversationHub' | 'limits'>,
  caller: Caller,
  conversationId: string,
  request: StreamRequest,
): Promise<StreamReply> {
  const { organizationId } = caller;
  await findConversation(deps, caller, conversationId);
  const { caps } = deps.limits;
  const allowed = {
    ofOrganization: await caps.of(organizationId, 'event_streams'),
    ofReader: await caps.of(organizationId, 'event_streams_per_reader'),
  };
  return createStreamReply(
    deps.conversationHub,
    caller,
    { organizationId, conversationId, hasPii: hasScope(caller, 'pii') },
    allowed,
    request,
  );
}

/** What a ticket stores about its holder. */
const ticketHolder = z.object({
  principal: z.string(),
  conversation_id: z.string(),
  pii: z.boolean().default(false),
});

/** POST /v1/conversations/{id}/stream-ticket. @throws AppError not_found */
export async function createConversationTicket(
  deps: Pick<Deps, 'sql' | 'clock'>,
  caller: Caller,
  conversationId: string,
) {
  await findConversation(deps, caller, conversationId);
  const { organizationId, principal } = caller;
  const held: z.input<typeof ticketHolder> = {
    principal,
    conversation_id: conversationId,
    pii: hasScope(caller, 'pii'),
  };
  const { ticket, expiresAt } = await createTicket(deps, organizationId, held);
  return { ticket, expires_at: voiceApiDialect.time(expiresAt) };
}

/** A ticket is valid only for its conversation. */
export function conversationTicketCredential(deps: Pick<Deps, 'sql' | 'clock'>) {
  return ticketCredential(deps, 'POST /v1/conversations/{conversation_id}/stream-ticket', (held, params) => {
    const { principal, pii, conversation_id: ticketConversationId } = ticketHolder.parse(held);
    const scopes = new Set<Scope>(pii ? ['read', 'pii'] : ['read']);
    return params['conversation_id'] === ticketConversationId ? { principal, scopes } : null;
  });
}
