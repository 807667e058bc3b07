// Converts LiveKit's webhooks `room_started` and `room_finished`, and session reports of LiveKit
// Agents (docs/voice-api.md#imports). Pure.
// Shapes: `livekit_webhook.proto` and `Room` of github.com/livekit/protocol as protobuf JSON, in
// which 64-bit numbers are texts; `SessionReport.to_dict()` (voice/report.py) and `ChatContext`
// (llm/chat_context.py) of github.com/livekit/agents.
import { z } from 'zod';
import { pathId } from '@parley/envelopes';
import { toChanges } from './report.rules.ts';
import type { Report, ReportedTurn, Importer } from './report.rules.ts';

const number = z.number().nullish();
const wide = z.union([z.string().regex(/^\d{1,16}$/), z.number()]).nullish();

const item = z.looseObject({
  type: z.string(),
  role: z.string().nullish(),
  content: z.array(z.unknown()).nullish(),
  interrupted: z.boolean().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  output: z.string().nullish(),
  created_at: number,
});
const webhook = z.looseObject({
  event: z.string(),
  createdAt: wide,
  room: z.looseObject({ name: pathId(200), creationTime: wide, creationTimeMs: wide }),
});
const session = z.looseObject({
  room: pathId(200),
  room_id: z.string().nullish(),
  job_id: z.string(),
  events: z.array(z.looseObject({ type: z.string(), created_at: number })).nullish(),
  chat_history: z.looseObject({ items: z.array(item) }),
  timestamp: number,
});
const other = z.looseObject({ event: z.string() });
const WEBHOOKS = ['room_started', 'room_finished'];

type Payload = z.output<typeof webhook> | z.output<typeof session> | z.output<typeof other>;

const NO_DESCRIPTION = { channel: null, direction: null, from: null, to: null };
const SECOND_MS = 1_000;
const toMs = (seconds: string | number | null | undefined) =>
  seconds == null || Number(seconds) === 0 ? null : Number(seconds) * SECOND_MS;

export const livekit: Importer = {
  chooseShape: (report) => {
    if (typeof report !== 'object' || report === null || !('event' in report)) return session;
    return WEBHOOKS.includes(String(report.event)) ? webhook : other;
  },
  read: (given: Payload) => {
    if ('chat_history' in given) return { report: readSession(given as z.output<typeof session>) };
    const event = given as z.output<typeof webhook>;
    return WEBHOOKS.includes(event.event) ? { report: readRoom(event) } : { ignored: event.event };
  },
};

/** LiveKit does not say why a room finished. */
function readRoom({ event, createdAt, room }: z.output<typeof webhook>): Report {
  const isFinished = event === 'room_finished';
  const startedMs = room.creationTimeMs ? Number(room.creationTimeMs) : toMs(room.creationTime);
  return {
    conversationId: room.name,
    rank: isFinished ? 1 : 0,
    botId: null,
    startedMs: startedMs ?? (isFinished ? null : toMs(createdAt)),
    endedMs: isFinished ? toMs(createdAt) : null,
    description: NO_DESCRIPTION,
    turns: [],
    end: isFinished ? { given: null, reason: 'other', durationSeconds: null } : null,
    changes: {},
    skipped: 0,
  };
}

/** The report is made at the end of the session, which says why it closed. */
function readSession({ room, events, chat_history, timestamp, ...rest }: z.output<typeof session>): Report {
  const { items } = chat_history;
  const times = [...items, ...(events ?? [])].flatMap((one) => toMs(one.created_at) ?? []);
  const startedMs = times.length === 0 ? null : Math.min(...times);
  const endedMs = toMs(timestamp);
  const close = (events ?? []).find(({ type }) => type === 'close');
  const given = typeof close?.['reason'] === 'string' ? close['reason'] : null;
  const seconds = startedMs === null || endedMs === null ? null : (endedMs - startedMs) / SECOND_MS;
  return {
    conversationId: room,
    rank: 2,
    botId: null,
    startedMs,
    endedMs,
    description: NO_DESCRIPTION,
    turns: items.flatMap((one) => toTurns(one, startedMs)),
    end: { given, reason: CLOSE_REASONS[given ?? ''] ?? given ?? 'other', durationSeconds: seconds },
    changes: toChanges({
      metadata: { livekit_job_id: rest.job_id, ...(rest.room_id ? { livekit_room_id: rest.room_id } : {}) },
    }),
    skipped: items.filter((one) => toTurns(one, startedMs).length === 0).length,
  };
}

/** `CloseReason` of voice/events.py of github.com/livekit/agents. */
const CLOSE_REASONS: Readonly<Record<string, string>> = {
  error: 'error',
  job_shutdown: 'bot_hangup',
  participant_disconnected: 'user_hangup',
  user_initiated: 'bot_hangup',
};

const ROLES: Readonly<Record<string, ReportedTurn['type']>> = {
  user: 'speech.final',
  assistant: 'bot.message',
  system: 'system.message',
  developer: 'system.message',
};

/** Empty for handoffs, configuration, and messages without text. */
function toTurns(given: z.output<typeof item>, startedMs: number | null): ReportedTurn[] {
  const at = toMs(given.created_at);
  const startMs = at === null || startedMs === null ? null : at - startedMs;
  const turn = (type: ReportedTurn['type'], text: string, interrupted?: boolean): ReportedTurn[] => [
    { type, text, startMs, endMs: null, interrupted },
  ];
  if (given.type === 'function_call')
    return turn('tool.called', `${given.name ?? 'tool'}(${given.arguments ?? ''})`);
  if (given.type === 'function_call_output')
    return turn('tool.returned', `${given.name ?? 'tool'}: ${given.output ?? ''}`);
  const type = given.type === 'message' ? ROLES[given.role ?? ''] : undefined;
  const text = (given.content ?? []).filter((part) => typeof part === 'string').join('\n');
  if (!type || text === '') return [];
  return turn(type, text, given.role === 'assistant' ? (given.interrupted ?? undefined) : undefined);
}
