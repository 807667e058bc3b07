// The file formats of exports: one conversation or delivery a line (docs/voice-api.md#exports).
// Pure.
import { createHash } from 'node:crypto';
import type { toConversationView } from '../conversations/lists/conversation-view.ts';
import type { TranscriptTurn } from '../conversations/transcript.rules.ts';
import { csvLine } from '../csv.rules.ts';
import type { addAttempts } from '../deliveries/log/read-deliveries.ts';
import type { DeliveryFormat, Format } from './schemas.ts';

export interface ExportedConversation {
  readonly view: ReturnType<typeof toConversationView>;
  /** Null: the transcript was removed, or the format has none. */
  readonly turns: readonly TranscriptTurn[] | null;
  /** The transcript is longer than an export takes. */
  readonly isCut: boolean;
}

export type ExportedDelivery = Awaited<ReturnType<typeof addAttempts>>[number];

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  vcon: 'application/vcon+jsonl',
};

export const EXTENSIONS: Readonly<Record<Format, string>> = {
  jsonl: 'jsonl',
  csv: 'csv',
  vcon: 'vcon.jsonl',
};

interface FormatRow<One> {
  /** Written before the first line. */
  readonly head: string;
  line(one: One): string;
}

const COLUMNS = [
  'id',
  'bot_id',
  'status',
  'channel',
  'direction',
  'from',
  'to',
  'language',
  'started_at',
  'ended_at',
  'duration_seconds',
  'end_reason',
  'end_detail',
  'ended_by',
  'error',
  'turn_count',
  'flow_id',
  'flow_version',
  'tags',
  'summary',
  'sentiment',
  'success',
  'cost',
  'recording_url',
  'metadata',
  'analysis',
  'created_at',
  'updated_at',
] as const;

const DELIVERY_COLUMNS = [
  'id',
  'webhook_id',
  'conversation_id',
  'event_id',
  'event',
  'kind',
  'status',
  'attempts',
  'http_status',
  'error_class',
  'ms',
  'next_attempt_at',
  'replay_of',
  'created_at',
  'finished_at',
] as const;

export const conversationFormats: Readonly<
  Record<Format, FormatRow<ExportedConversation> & { readonly needsTurns: boolean }>
> = {
  jsonl: {
    head: '',
    needsTurns: true,
    line: ({ view, turns, isCut }) =>
      `${JSON.stringify({ ...view, transcript: turns, ...(isCut ? { transcript_truncated: true } : {}) })}\n`,
  },
  csv: {
    head: csvLine(COLUMNS),
    needsTurns: false,
    line: ({ view }) => csvLine(COLUMNS.map((name) => (view as Record<string, unknown>)[name])),
  },
  vcon: {
    head: '',
    needsTurns: true,
    line: (one) => `${JSON.stringify(toVcon(one))}\n`,
  },
};

/** Deliveries have no vCon format: a vCon is a conversation. */
export const deliveryFormats: Readonly<Record<DeliveryFormat, FormatRow<ExportedDelivery>>> = {
  jsonl: { head: '', line: (delivery) => `${JSON.stringify(delivery)}\n` },
  csv: {
    head: csvLine(DELIVERY_COLUMNS),
    line: ({ body, attempt_log: log, ...delivery }) => {
      const { data } = (body ?? {}) as { data?: { conversation_id?: unknown } };
      const { status: http_status, error_class, ms } = log.at(-1) ?? {};
      const row = { ...delivery, conversation_id: data?.conversation_id, http_status, error_class, ms };
      return csvLine(DELIVERY_COLUMNS.map((name) => row[name]));
    },
  },
};

const [CALLER, BOT] = [0, 1];

/** A vCon (IETF draft-ietf-vcon-vcon-container, 0.0.2): speakers, text, recording and analysis. */
function toVcon({ view, turns, isCut }: ExportedConversation): object {
  const startedAtMs = Date.parse(view.started_at as string) || Date.parse(view.created_at as string);
  const more = view as Record<string, unknown>;
  const { summary, sentiment, success, analysis, recording_url: url } = more;
  const outbound = view.direction === 'outbound';
  const about = Object.entries({ summary, sentiment, success, analysis }).filter(
    ([, body]) => body !== undefined,
  );
  return {
    vcon: '0.0.2',
    uuid: computeUuid(view.id),
    created_at: view.created_at,
    updated_at: view.updated_at,
    parties: [
      { ...toParty(outbound ? view.to : view.from), role: 'customer' },
      {
        ...toParty(outbound ? view.from : view.to),
        role: 'agent',
        ...(view.bot_id ? { name: view.bot_id } : {}),
      },
    ],
    dialog: [
      ...(turns ?? []).map((turn) => ({
        type: 'text',
        start: new Date(startedAtMs + (turn.start_ms ?? 0)).toISOString(),
        ...(turn.start_ms !== null && turn.end_ms !== null
          ? { duration: (turn.end_ms - turn.start_ms) / 1000 }
          : {}),
        parties: turn.role === 'user' ? CALLER : BOT,
        mediatype: 'text/plain',
        body: turn.text,
        encoding: 'none',
        ...(turn.role === 'user' || turn.role === 'bot' ? {} : { application: turn.role }),
      })),
      ...(typeof url === 'string'
        ? [{ type: 'recording', start: new Date(startedAtMs).toISOString(), parties: [CALLER, BOT], url }]
        : []),
    ],
    analysis: about.map(([type, body]) => ({
      type,
      vendor: 'parley',
      ...(typeof body === 'string' ? { body, encoding: 'none' } : { body, encoding: 'json' }),
    })),
    attachments: [
      { type: 'metadata', body: view.metadata, encoding: 'json' },
      ...(isCut ? [{ type: 'transcript_truncated', body: true, encoding: 'json' }] : []),
    ],
  };
}

function toParty(address: string | null): object {
  return address === null ? {} : /^\+?\d+$/.test(address) ? { tel: address } : { name: address };
}

/** Deterministic: version 8 of RFC 9562 from a digest of the id. */
function computeUuid(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
