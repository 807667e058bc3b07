// Tools for what happened: conversations, why the bot said something, deliveries, and what is sent (docs/mcp.md#tools).
import type { RecordedTurn } from '@parley/flow-engine';
import type { VoiceApi } from '@parley/sdk';
import { z } from 'zod';
import { NotDone } from './not-done.ts';
import { cursor, items, limit, nextCursor, text, tool } from './tool.ts';

const time = z.iso.datetime({ offset: true });
const dryRun = z
  .boolean()
  .describe('true, the default: only say what would be done. Ask the user before you say false')
  .default(true);
/** Of one conversation, in which a turn is looked for. */
const TURNS_MAX = 1_000;

/** Without the bag, which may be long. */
const summaryOf = ({ turn, flow_id, version, status, next_node, input, messages }: RecordedTurn) => ({
  turn,
  flow_id,
  version,
  status,
  next_node,
  user_input: input?.user_input ?? null,
  messages: messages?.map((message) => message.text) ?? null,
});

async function recordedTurn(voice: VoiceApi, conversation_id: string, turn: number, signal: AbortSignal) {
  let seen = 0;
  for await (const recorded of voice.listRecordedTurns({ conversation_id, limit: 100 }, { signal })) {
    if (recorded.turn === turn) return recorded;
    if (++seen === TURNS_MAX) break;
  }
  throw new NotDone(`no turn ${turn} is among the first ${TURNS_MAX} that were recorded`);
}

export const lookAtCalls = [
  tool({
    name: 'list_conversations',
    title: 'List conversations',
    description: 'Conversations with callers, newest first, by what is known of them.',
    effect: 'reads',
    input: {
      bot_id: text().optional(),
      flow_id: text().optional(),
      flow_version: z.int().min(1).optional(),
      status: z
        .enum([
          'initiated',
          'in_progress',
          'processing',
          'completed',
          'failed',
          'no_answer',
          'busy',
          'canceled',
        ])
        .optional(),
      has_error: z.boolean().optional(),
      started_after: time.optional(),
      started_before: time.optional(),
      q: text().describe('Words that were said, or a part of an id or an address').optional(),
      cursor: cursor.optional(),
      limit,
    },
    output: { items, next_cursor: nextCursor },
    run: async ({ voice }, { status, ...input }, signal) => {
      const filter = { ...input, ...(status ? { status: [status] } : {}) };
      const { items, next_cursor } = await voice.listConversations(filter, { signal });
      return { items, next_cursor };
    },
  }),
  tool({
    name: 'explain_conversation',
    title: 'Why the bot said that',
    description:
      'A conversation and its recorded turns: which version answered, what was said, where it waited. With `turn` that turn is walked again as it was recorded, and its trace says which edges were tried and why one was taken.',
    effect: 'reads',
    input: {
      conversation_id: text(255),
      turn: z.int().min(1).describe('The number of a recorded turn').optional(),
      cursor: cursor.optional(),
      limit,
    },
    output: {
      conversation: z.looseObject({ id: z.string() }),
      turns: items,
      next_cursor: nextCursor,
      explanation: z
        .looseObject({ same: z.boolean().nullable() })
        .describe('`same`: the turn came to what was recorded; `trace`: why')
        .optional(),
    },
    run: async (services, { conversation_id, turn, ...page }, signal) => {
      const { voice } = services;
      const of = { conversation_id };
      const [conversation, { items, next_cursor }] = await Promise.all([
        voice.getConversation(of, { signal }),
        voice.listRecordedTurns({ ...of, ...page }, { signal }),
      ]);
      const found = { conversation, turns: (items as RecordedTurn[]).map(summaryOf), next_cursor };
      if (turn === undefined) return found;
      const recorded = await recordedTurn(voice, conversation_id, turn, signal);
      const { flow_id, version } = recorded;
      const again = await services.flows.replayTurns(
        { flow_id, body: { version, turns: [recorded] as never, trace: true } },
        { signal },
      );
      return { ...found, explanation: again.turns[0] };
    },
  }),
  tool({
    name: 'list_deliveries',
    title: 'List deliveries of webhooks',
    description: 'What was sent to webhooks and what became of it, newest first.',
    effect: 'reads',
    input: {
      webhook_id: text().optional(),
      conversation_id: text(255).optional(),
      status: z
        .enum(['pending', 'delivered', 'skipped', 'superseded', 'exhausted', 'canceled', 'quarantined'])
        .optional(),
      http_status: z.int().min(100).max(599).optional(),
      since: time.optional(),
      until: time.optional(),
      cursor: cursor.optional(),
      limit,
    },
    output: { items, next_cursor: nextCursor },
    run: async ({ voice }, input, signal) => {
      const { items, next_cursor } = await voice.listAllDeliveries(input, { signal });
      return { items, next_cursor };
    },
  }),
  tool({
    name: 'replay',
    title: 'Send deliveries again',
    description:
      'Sends the events of a stretch of time to a webhook again, by default those that did not arrive. A dry run counts them.',
    effect: 'sends',
    input: {
      webhook_id: text(),
      since: time,
      until: time,
      status: z.enum(['delivered', 'skipped', 'superseded', 'exhausted', 'canceled']).optional(),
      dry_run: dryRun,
    },
    output: { dry_run: z.boolean(), matched: z.int(), replayed: z.int() },
    run: async ({ voice }, { webhook_id, ...body }, signal) => ({
      ...(await voice.replayDeliveries({ webhook_id, body: body }, { signal })),
    }),
  }),
  tool({
    name: 'send_notification',
    title: 'Send a notification',
    description:
      'Sends a message over one or more channels. A dry run says which channels would take it, what each would send, and how many get a message for everyone.',
    effect: 'sends',
    input: {
      channels: z
        .array(z.enum(['chat', 'webhook', 'email', 'in_app', 'web_push']))
        .min(1)
        .max(5),
      message: text(10_000),
      subject: text(500).optional(),
      target: z
        .looseObject({})
        .describe('By channel: {"email": {"email": …}, "in_app": {"user_id": …}, "webhook": {"url": …}}')
        .optional(),
      dry_run: dryRun,
    },
    output: {
      dry_run: z.boolean(),
      notification_id: z.string().optional(),
      accepted_channels: z.array(z.string()),
      rejected: items.optional(),
      everyone: z.looseObject({}).describe('Present when every user gets it: how many').optional(),
      preview: z.looseObject({}).optional(),
    },
    run: async ({ inbox }, body, signal) => ({
      dry_run: body.dry_run,
      ...(await inbox.notify({ body: body }, { signal })),
    }),
  }),
];
