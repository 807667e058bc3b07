// Tools for what happened: conversations and their explanation, deliveries, notifications
// (docs/mcp.md#tools).
import type { RecordedTurn } from '@parley/flow-analysis';
import type { VoiceApi } from '@parley/sdk';
import { z } from 'zod';
import { ToolError } from './not-done.ts';
import { cursor, items, limit, nextCursor, text, tool } from './tool.ts';

const time = z.iso.datetime({ offset: true });
const dryRun = z
  .boolean()
  .describe('Default true: report what the call would do. Ask the user before you set false')
  .default(true);
/** Turns searched in one conversation. */
const TURNS_MAX = 1_000;

/** Without the variables, which may be long. */
const summarize = ({ turn, flow_id, version, status, next_node, input, messages }: RecordedTurn) => ({
  turn,
  flow_id,
  version,
  status,
  next_node,
  user_input: input?.user_input ?? null,
  messages: messages?.map((message) => message.text) ?? null,
});

async function findRecordedTurn(voice: VoiceApi, conversation_id: string, turn: number, signal: AbortSignal) {
  let seen = 0;
  for await (const recorded of voice.listRecordedTurns({ conversation_id, limit: 100 }, { signal })) {
    if (recorded.turn === turn) return recorded;
    if (++seen === TURNS_MAX) break;
  }
  throw new ToolError(`turn ${turn} is not among the first ${TURNS_MAX} recorded turns`);
}

export const callTools = [
  tool({
    name: 'list_conversations',
    title: 'List conversations',
    description: 'Lists conversations with callers, newest first, with filters.',
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
      q: text().describe('Words of the transcript, or a part of an id or an address').optional(),
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
      'Shows a conversation and its recorded turns: version, messages, and the node that waits. With `turn` it replays that turn from its recording; the trace shows which edges were tried, and why one was taken.',
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
        .describe('`same`: the replay equals the recording; `trace`: why the turn took its path')
        .optional(),
    },
    run: async (services, { conversation_id, turn, ...page }, signal) => {
      const { voice } = services;
      const of = { conversation_id };
      const [conversation, { items, next_cursor }] = await Promise.all([
        voice.getConversation(of, { signal }),
        voice.listRecordedTurns({ ...of, ...page }, { signal }),
      ]);
      const found = { conversation, turns: (items as RecordedTurn[]).map(summarize), next_cursor };
      if (turn === undefined) return found;
      const recorded = await findRecordedTurn(voice, conversation_id, turn, signal);
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
    description: 'Lists deliveries to webhooks with their outcome, newest first.',
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
      'Sends the events of a period to a webhook again, by default those that did not arrive. A dry run counts them.',
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
      'Sends a message over one or more channels. A dry run reports which channels accept it, what each would send, and how many users a message for everyone reaches.',
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
      everyone: z.looseObject({}).describe('Number of users, when every user gets it').optional(),
      preview: z.looseObject({}).optional(),
    },
    run: async ({ inbox }, body, signal) => ({
      dry_run: body.dry_run,
      ...(await inbox.notify({ body: body }, { signal })),
    }),
  }),
];
