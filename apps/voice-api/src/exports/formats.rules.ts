// A conversation as a line of an export (docs/voice-api.md#exports). Pure.
import { createHash } from 'node:crypto';
import type { conversationView } from '../conversations/lists/conversation-view.ts';
import type { TranscriptTurn } from '../conversations/transcript.rules.ts';
import type { Format } from './schemas.ts';

export interface ExportedConversation {
  readonly view: ReturnType<typeof conversationView>;
  readonly turns: readonly TranscriptTurn[];
  /** There are more turns than an export takes. */
  readonly isCut: boolean;
}

export interface FormatRow {
  readonly contentType: string;
  /** Before the first line. */
  readonly head: string;
  readonly needsTurns: boolean;
  line(conversation: ExportedConversation): string;
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

export const formats: Readonly<Record<Format, FormatRow>> = {
  jsonl: {
    contentType: 'application/jsonl',
    head: '',
    needsTurns: true,
    line: ({ view, turns, isCut }) =>
      `${JSON.stringify({ ...view, transcript: turns, ...(isCut ? { transcript_truncated: true } : {}) })}\n`,
  },
  csv: {
    contentType: 'text/csv',
    head: `${COLUMNS.join(',')}\r\n`,
    needsTurns: false,
    line: ({ view }) =>
      `${COLUMNS.map((name) => cell((view as Record<string, unknown>)[name])).join(',')}\r\n`,
  },
  vcon: {
    contentType: 'application/vcon+jsonl',
    head: '',
    needsTurns: true,
    line: (one) => `${JSON.stringify(vconOf(one))}\n`,
  },
};

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe: who called is not asked what they are called. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const [CALLER, BOT] = [0, 1];

/** A vCon (IETF draft-ietf-vcon-vcon-container, 0.0.2): who spoke, what was said, the recording, and what was made of it. */
function vconOf({ view, turns, isCut }: ExportedConversation): object {
  const began = Date.parse(view.started_at as string) || Date.parse(view.created_at as string);
  const more = view as Record<string, unknown>;
  const { summary, sentiment, success, analysis, recording_url: url } = more;
  const outbound = view.direction === 'outbound';
  const about = Object.entries({ summary, sentiment, success, analysis }).filter(
    ([, body]) => body !== undefined,
  );
  return {
    vcon: '0.0.2',
    uuid: uuidOf(view.id),
    created_at: view.created_at,
    updated_at: view.updated_at,
    parties: [
      { ...partyOf(outbound ? view.to : view.from), role: 'customer' },
      {
        ...partyOf(outbound ? view.from : view.to),
        role: 'agent',
        ...(view.bot_id ? { name: view.bot_id } : {}),
      },
    ],
    dialog: [
      ...turns.map((turn) => ({
        type: 'text',
        start: new Date(began + (turn.start_ms ?? 0)).toISOString(),
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
        ? [{ type: 'recording', start: new Date(began).toISOString(), parties: [CALLER, BOT], url }]
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

function partyOf(address: string | null): object {
  return address === null ? {} : /^\+?\d+$/.test(address) ? { tel: address } : { name: address };
}

/** The same for the same conversation: version 8 of RFC 9562, of a digest. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
