// The part of the load that makes conversations: turn by turn through the flow builder, and whole
// ones as a batch of events.
import type { ItemKind } from './account.rules.ts';
import type { Ledger } from './ledger.ts';
import type { Client } from './client.ts';
import { FLOW_ID, type Prepared } from './prepare.ts';
import { webhookItem } from './receivers.ts';

/** The texts that a transcript must contain for an item; none for a start or an end. */
export interface ExpectedItem {
  readonly kind: ItemKind;
  readonly id: string;
  readonly texts: readonly string[];
}

export interface Conversations {
  /** Holds a conversation of three turns. */
  converse(id: string): Promise<void>;
  /** Reports a whole conversation in one batch of events. */
  report(id: string): Promise<void>;
  /** Expected items by conversation. */
  readonly expected: ReadonlyMap<string, readonly ExpectedItem[]>;
}

interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
}

const UTTERANCES = ['A user says this.', 'A bot says that.', 'And so on.', 'Good bye.'];

export function createConversations(ledger: Ledger, client: Client, { botId }: Prepared): Conversations {
  const expected = new Map<string, ExpectedItem[]>();
  const expect = (conversationId: string, item: ExpectedItem): void => {
    expected.set(conversationId, [...(expected.get(conversationId) ?? []), item]);
  };
  /** Records the webhook events of an accepted item. */
  const expectWebhooks = (sentAtMs: number, ...ids: string[]): void => {
    for (const id of ids) {
      ledger.sent('webhooks', id, sentAtMs);
      ledger.accepted('webhooks', id);
    }
  };

  async function converse(sessionId: string): Promise<void> {
    let node: string | null = null;
    let variables: Turn['variables'] = {};
    for (const [number, said] of [null, `Ada ${sessionId}`, '7'].entries()) {
      const id = `${sessionId}|${number}`;
      const sentAtMs = Date.now();
      ledger.sent('turns', id);
      // Safe to repeat, because a repeated turn reports the same event ids.
      const reply = await client.persist({
        service: 'flow-builder',
        method: 'POST',
        path: `/product/v1/flows/${FLOW_ID}/execute`,
        body: { session_id: sessionId, bot_id: botId, current_node: node, user_input: said, variables },
      });
      if (!reply) return;
      ledger.accepted('turns', id);
      const turn = reply.body as Turn;
      const texts = turn.outputs.map(({ text }) => text);
      expect(sessionId, { kind: 'turns', id, texts: said === null ? texts : [said, ...texts] });
      expectWebhooks(
        sentAtMs,
        ...(number === 0 ? [webhookItem(sessionId, 'conversation.started')] : []),
        ...(said === null ? [] : [webhookItem(sessionId, 'speech.final', said)]),
        ...texts.map((text) => webhookItem(sessionId, 'bot.message', text)),
        ...(turn.status === 'completed' ? endings(sessionId) : []),
      );
      node = turn.next_node;
      variables = turn.variables;
    }
  }

  async function report(conversationId: string): Promise<void> {
    const atMs = Date.now();
    const event = (
      number: number,
      type: string,
      data: { readonly text?: string; readonly [member: string]: unknown },
    ) => ({
      id: `${conversationId}-${number}`,
      type,
      conversation_id: conversationId,
      bot_id: botId,
      occurred_at: new Date(atMs + number).toISOString(),
      data,
    });
    const events = [
      event(0, 'conversation.started', { channel: 'phone' }),
      ...UTTERANCES.map((text, index) =>
        event(index + 1, index % 2 === 0 ? 'speech.final' : 'bot.message', { turn_index: index, text }),
      ),
      event(UTTERANCES.length + 1, 'conversation.ended', { end_reason: 'flow_completed' }),
    ];
    for (const { id } of events) ledger.sent('events', id);
    const path = '/v1/conversations/events';
    const reply = await client.persist({ service: 'voice-api', method: 'POST', path, body: { events } });
    if (!reply) return;
    const { data } = reply.body as { data: { accepted: number; duplicates: number; rejected: unknown[] } };
    if (data.accepted + data.duplicates !== events.length)
      ledger.problem(`events are rejected: ${JSON.stringify(data.rejected)}`);
    for (const { id, type, data: said } of events) {
      ledger.accepted('events', id);
      expect(conversationId, { kind: 'events', id, texts: said.text === undefined ? [] : [said.text] });
      if (type !== 'conversation.ended') expectWebhooks(atMs, webhookItem(conversationId, type, said.text));
    }
    expectWebhooks(atMs, ...endings(conversationId));
  }

  return { converse, report, expected };
}

const endings = (conversationId: string): string[] => [
  webhookItem(conversationId, 'conversation.ended'),
  webhookItem(conversationId, 'transcript.ready'),
];
