// Scrubs texts for readers without the scope `pii` (docs/voice-api.md#scrubbed-transcripts). Pure.
import { replaceSpokenNumbers } from '@parley/answers/spoken-numbers';
import type { Role } from '../conversation-model/turn-roles.rules.ts';

/**
 * What a flow redacted already; e-mail addresses; four digits or more of any script, with blanks
 * and punctuation of numbers between them. The search is linear: an address is looked for once a
 * word, from its beginning.
 */
const PERSONAL =
  /(?<redacted>\[redacted [0-9a-f]{1,64}\])|(?<email>(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}.-]{1,253}\.\p{L}{2,24})|[+(]{0,2}\p{Nd}(?:[\s().\/\u2010-\u2015-]{0,3}\p{Nd}){3,}/gu;
/** The same for numbers in words. */
const DIGITS_MIN = 4;
const LONG_NUMBER = /^\d{4,}$/;

export const scrubText = (text: string): string =>
  replaceSpokenNumbers(text, DIGITS_MIN, '[number]').replaceAll(
    PERSONAL,
    (match, redacted?: string, email?: string) => {
      if (redacted !== undefined) return match;
      return email === undefined ? '[number]' : '[email]';
    },
  );

/** Texts and long numbers of a JSON value, without the names of members. */
export function scrubValue(value: unknown): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'number') {
    const digits = String(Math.abs(value)).replace('.', '');
    return LONG_NUMBER.test(digits) ? '[number]' : value;
  }
  if (Array.isArray(value)) return value.map(scrubValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, scrubValue(member)]));
}

const scrubMembers = (
  whole: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(whole).map(([name, value]) => [name, names.includes(name) ? scrubValue(value) : value]),
  );

/**
 * A conversation in its wire shape, without the recording, which says everything. Addresses and
 * metadata stay: lists need them.
 */
export function scrubConversation<View extends object>(view: View): View {
  const { recording_url: _, recording_copy: __, ...rest } = view as Record<string, unknown>;
  return scrubMembers(rest, ['summary', 'analysis', 'end_detail']) as View;
}

/** A recorded turn: what was said, and what was computed from it. */
export const scrubRecordedTurn = (turn: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  scrubMembers(turn, ['input', 'variables_in', 'variables_set', 'answers', 'messages', 'actions']);

/** A webhook event as it was sent. */
export interface EventBody {
  readonly event?: string;
  readonly data?: {
    readonly conversation_id?: string;
    readonly bot_id?: string | null;
    readonly turn_index?: number;
    readonly text?: string;
    readonly sha256?: string;
    readonly transcript?: readonly (Spoken & { readonly index: number; readonly role: Role })[];
  };
}

/** The place of an utterance. */
export interface SpokenPlace {
  readonly id: string;
  readonly index: number;
  readonly role: Role;
}

/** The utterances of an event. An interim has the place of its final one. */
export function listSpoken({ event, data }: EventBody): SpokenPlace[] {
  const { conversation_id: id = '', turn_index: index, transcript = [] } = data ?? {};
  const own = index === undefined ? [] : [{ id, index, role: roleOf(event) }];
  return [...own, ...transcript.map((turn) => ({ id, index: turn.index, role: turn.role }))];
}

const roleOf = (event?: string): Role => (event === 'bot.message' ? 'bot' : 'user');

/** A webhook event: the utterance, or the transcript of an ended conversation. */
export function scrubEvent<Body extends EventBody>(
  body: Body,
  redacted: (place: SpokenPlace) => string | undefined = () => undefined,
): Body {
  const { event, data } = body;
  if (!data) return body;
  const { conversation_id: id = '', text, turn_index: index, transcript, sha256 } = data;
  const place = { id, index: index ?? -1, role: roleOf(event) };
  return {
    ...body,
    data: {
      ...data,
      ...(text === undefined ? {} : { text: scrubText(redacted(place) ?? text) }),
      // Of the whole text: four digits are guessed from it.
      ...(sha256 === undefined ? {} : { sha256: '' }),
      ...(transcript === undefined
        ? {}
        : { transcript: transcript.map((turn) => scrubTurn(turn, redacted({ ...turn, id }))) }),
    },
  };
}

interface Spoken {
  readonly text: string;
  readonly words?: readonly unknown[];
}

/** Recognised words repeat the text, so they go with it. `text` replaces the spoken one. */
export function scrubTurn<Turn extends Spoken>(turn: Turn, text = turn.text): Turn {
  const scrubbed = scrubText(text);
  if (scrubbed === turn.text) return turn;
  const { words: _, ...rest } = turn;
  return { ...rest, text: scrubbed } as unknown as Turn;
}
