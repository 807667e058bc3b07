// Conversation events for tests, and a common story.
import { eventually } from '@parley/testing';
import type { VoiceApi } from './service.ts';

export interface WireEvent {
  id: string;
  type: string;
  conversation_id: string;
  bot_id?: string;
  occurred_at: string;
  data?: Record<string, unknown>;
}

/** Noon of a past day plus some seconds. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 15, 12) + seconds * 1000).toISOString();
}

let made = 0;

/** An event with a unique id, unless `more` sets one. */
export function event(
  type: string,
  conversationId: string,
  seconds: number,
  data: Record<string, unknown> = {},
  more: Partial<WireEvent> = {},
): WireEvent {
  made += 1;
  return {
    id: `evt-${made}`,
    type,
    conversation_id: conversationId,
    occurred_at: at(seconds),
    data,
    ...more,
  };
}

/** A phone call of one minute: two utterances, one answer, a normal end. */
export function call(conversationId: string, bot_id = 'bot_of_somebody'): WireEvent[] {
  const more = { bot_id };
  return [
    event(
      'conversation.started',
      conversationId,
      0,
      {
        channel: 'phone',
        direction: 'inbound',
        from: '+15550100',
        to: '+15550199',
        language: 'en-US',
        metadata: { customer: 'c-1' },
      },
      more,
    ),
    event('speech.interim', conversationId, 2, { turn_index: 0, text: 'I would' }, more),
    event(
      'speech.final',
      conversationId,
      3,
      { turn_index: 0, text: 'I would like to book.', confidence: 0.93, start_ms: 1200, end_ms: 2900 },
      more,
    ),
    event(
      'bot.message',
      conversationId,
      4,
      {
        turn_index: 1,
        text: 'For when?',
        start_ms: 3400,
        end_ms: 4100,
        metrics: { e2e_ms: 500, asr_ms: 100, llm_ms: 300, tts_ms: 100 },
      },
      more,
    ),
    event('speech.final', conversationId, 7, { turn_index: 2, text: 'Tomorrow <noon>.' }, more),
    event('conversation.ended', conversationId, 60, { end_reason: 'user_hangup' }, more),
  ];
}

export async function send(service: Pick<VoiceApi, 'api'>, events: readonly object[]) {
  const answer = await service.api.post('/v1/conversations/events', { events }).expect(200);
  return (answer.body as { data: { accepted: number; duplicates: number; rejected: object[] } }).data;
}

export async function read(service: Pick<VoiceApi, 'api'>, id: string) {
  const answer = await service.api.get(`/v1/conversations/${encodeURIComponent(id)}`).expect(200);
  return (answer.body as { data: Record<string, unknown> }).data;
}

/** Waits for a status. */
export async function reaches(service: Pick<VoiceApi, 'api'>, id: string, status: string) {
  return eventually(
    async () => {
      const conversation = await read(service, id);
      return conversation['status'] === status && conversation;
    },
    { timeoutMs: 20_000 },
  );
}

export async function readTranscript(service: Pick<VoiceApi, 'api'>, id: string) {
  const answer = await service.api.get(`/v1/conversations/${encodeURIComponent(id)}/transcript`).expect(200);
  return (
    answer.body as {
      data: { turns: Record<string, unknown>[]; revision: number; status: string; sha256: string };
    }
  ).data;
}

/** Type and data of the events written for a webhook that selects all, ordered by `sequence`. */
export async function sentEvents(
  service: Pick<VoiceApi, 'deps'>,
  conversationId: string,
  organizationId = 'acme',
) {
  const rows = await service.deps.sql<{ body: string }>(
    'SELECT body FROM webhook_events WHERE organization_id = $1 AND conversation_id = $2',
    [organizationId, conversationId],
  );
  return rows
    .map(
      (row) =>
        JSON.parse(row.body) as {
          event: string;
          timestamp: string;
          data: Record<string, unknown> & { sequence: number };
        },
    )
    .sort((a, b) => a.data.sequence - b.data.sequence);
}

/**
 * Registers a disabled webhook for all events: deliveries are stored as skipped, nothing is sent,
 * and webhook_events has every event of the organisation.
 */
export async function recordEverything(
  { deps }: Pick<VoiceApi, 'deps'>,
  organizationId = 'acme',
): Promise<void> {
  await deps.sql(
    `INSERT INTO webhooks
       (id, organization_id, url, events, status, secret, secret_hint, created_at, created_by, updated_at)
     VALUES ($1, $2, 'https://example.com/hook', '{*}', 'disabled', 'never opened', 'none', $3, 'test', $3)`,
    [deps.ids('wh'), organizationId, new Date(deps.clock())],
  );
}
