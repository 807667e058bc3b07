// The transcript of a conversation in its forms (docs/voice-api.md#transcripts). Pure.
import type { TurnMetrics } from '../conversation-model/conversation.ts';
import type { Role } from '../conversation-model/turn-roles.rules.ts';

/** A turn in its wire shape. */
export interface TranscriptTurn {
  readonly index: number;
  readonly role: Role;
  readonly text: string;
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  readonly confidence: number | null;
  readonly interrupted: boolean;
  readonly language: string | null;
  readonly words?: readonly unknown[];
  readonly metrics?: TurnMetrics;
  readonly flow_id?: string;
  readonly flow_version?: number;
  readonly turn?: number;
  readonly node_id?: string;
}

/** A row of turns. */
export interface TurnRow {
  turn_index: number;
  role: Role;
  text: string;
  start_ms: number | null;
  end_ms: number | null;
  confidence: number | null;
  interrupted: boolean;
  language: string | null;
  words: unknown[] | null;
  metrics: TurnMetrics | null;
  flow_id: string | null;
  flow_version: number | null;
  flow_turn: number | null;
  node_id: string | null;
}

/** Columns of a `turn`. */
export const TURN_COLUMNS = `turn_index, role, text, start_ms, end_ms, confidence, interrupted, language, words, metrics,
  flow_id, flow_version, flow_turn, node_id`;

export function toTranscriptTurn(row: TurnRow): TranscriptTurn {
  return {
    index: row.turn_index,
    role: row.role,
    text: row.text,
    start_ms: row.start_ms,
    end_ms: row.end_ms,
    confidence: row.confidence,
    interrupted: row.interrupted,
    language: row.language,
    ...(row.words ? { words: row.words } : {}),
    ...(row.metrics ? { metrics: row.metrics } : {}),
    ...(row.flow_id === null ? {} : { flow_id: row.flow_id }),
    ...(row.flow_version === null ? {} : { flow_version: row.flow_version }),
    ...(row.flow_turn === null ? {} : { turn: row.flow_turn }),
    ...(row.node_id === null ? {} : { node_id: row.node_id }),
  };
}

/** Runtimes may number exchanges: then the question comes before the answer. */
export const ROLE_ORDER: Readonly<Record<Role, number>> = { system: 0, user: 1, tool: 2, bot: 3 };

export function sortTurns<Row extends { turn_index: number; role: Role }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.turn_index - b.turn_index || ROLE_ORDER[a.role] - ROLE_ORDER[b.role]);
}

export const TRANSCRIPT_FORMS = ['application/json', 'text/vtt', 'text/plain'] as const;
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number];

/** One line a turn: `User: …`. Blanks replace line breaks within a turn. */
export function formatText(turns: readonly TranscriptTurn[]): string {
  return turns.map((turn) => `${formatSpeaker(turn)}: ${oneLine(turn.text)}\n`).join('');
}

/** Duration of a cue without an end time: the time to read it. */
const READING_MS_PER_CHARACTER = 60;
const CUE_MS_MIN = 1_000;
const CUE_MS_MAX = 7_000;

/**
 * WebVTT (W3C): one cue a turn, with the role as voice. A turn without times follows the previous
 * one and lasts as long as reading it takes. Cues never go back in time, as the format requires.
 * `clock` continues from the previous page.
 */
export function formatVtt(turns: readonly TranscriptTurn[], clock = { at: 0, spokenUntil: 0 }): string {
  const following = findNextStarts(turns);
  let { at, spokenUntil } = clock;
  const cues = turns.map((turn, position) => {
    const start = Math.max(at, turn.start_ms ?? spokenUntil);
    const next = following[position];
    const reading = Math.min(CUE_MS_MAX, Math.max(CUE_MS_MIN, turn.text.length * READING_MS_PER_CHARACTER));
    const guessed = next !== undefined && next > start ? Math.min(start + reading, next) : start + reading;
    const end = turn.end_ms !== null && turn.end_ms > start ? turn.end_ms : guessed;
    [at, spokenUntil] = [start, end];
    return `${turn.index}-${turn.role}\n${vttTime(start)} --> ${vttTime(end)}\n<v ${formatSpeaker(turn)}>${vttText(turn.text)}\n`;
  });
  Object.assign(clock, { at, spokenUntil });
  return ['WEBVTT\n', ...cues].join('\n');
}

/** For each turn, the start of the next turn that has one. */
function findNextStarts(turns: readonly TranscriptTurn[]): (number | undefined)[] {
  const starts: (number | undefined)[] = [];
  let next: number | undefined;
  for (let position = turns.length - 1; position >= 0; position -= 1) {
    starts[position] = next;
    next = turns[position]!.start_ms ?? next;
  }
  return starts;
}

function formatSpeaker({ role }: TranscriptTurn): string {
  return role.charAt(0).toUpperCase() + role.slice(1);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ');
}

/** Cue text must not contain empty lines (they end the cue), arrows or markup. */
function vttText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\s*[\r\n]+\s*/g, '\n')
    .trim();
}

function vttTime(ms: number): string {
  const whole = Math.round(ms);
  const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3_600_000),
    Math.floor(whole / 60_000) % 60,
    Math.floor(whole / 1000) % 60,
  ];
  return `${pad(hours)}:${pad(minutes)}:${pad(seconds)}.${pad(whole % 1000, 3)}`;
}
