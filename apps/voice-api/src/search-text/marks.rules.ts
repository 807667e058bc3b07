// Marks the matches of a search in an utterance, and cuts an excerpt around the first one. Pure.
import { foldMapped } from './fold.rules.ts';
import type { Needle, ParsedSearch } from './query.rules.ts';

/** UTF-16 units of an excerpt, and of those before its first match. */
export const EXCERPT_MAX = 240;
const BEFORE_MAX = 60;

/** Start and end in UTF-16 units. */
export type Mark = readonly [number, number];

export interface Excerpt {
  readonly text: string;
  readonly marks: readonly Mark[];
}

const MARKUP = /<\/?[a-z][^<>]*>/gi;

/** Without markup. */
export function cutExcerpt(search: ParsedSearch, utterance: string): Excerpt {
  const text = utterance.replaceAll(MARKUP, ' ');
  const marks = findMarks(search, text);
  const first = marks[0]?.[0] ?? 0;
  const isWhole = text.length <= EXCERPT_MAX;
  const from = isWhole ? 0 : afterBlank(text, Math.max(0, first - BEFORE_MAX), first);
  const until = isWhole ? text.length : beforeBlank(text, from + EXCERPT_MAX);
  return {
    text: text.slice(from, until),
    marks: marks
      .filter(([start]) => start < until)
      .map(([start, end]) => [start - from, Math.min(end, until) - from]),
  };
}

function afterBlank(text: string, at: number, limit: number): number {
  if (at === 0) return 0;
  const blank = text.slice(at, limit).search(/\s/);
  return alignToCharacter(text, blank === -1 ? at : at + blank + 1);
}

function beforeBlank(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const blank = text.slice(0, at + 1).search(/\s\S*$/);
  return blank > at - BEFORE_MAX ? blank : alignToCharacter(text, at);
}

/** Not between the halves of a surrogate pair. */
const alignToCharacter = (text: string, at: number): number =>
  /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;

/** Without overlaps, in order. */
function findMarks({ groups }: ParsedSearch, text: string): Mark[] {
  const { folded, starts } = foldMapped(text);
  const marks = groups
    .flatMap(({ all }) => all)
    .flatMap((needle) => [...folded.matchAll(toPattern(needle))])
    .map(({ index, 0: { length } }): Mark => [starts[index]!, nextStart(starts, index + length)])
    .sort(([one], [other]) => one - other);
  const merged: [number, number][] = [];
  for (const [start, end] of marks) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** A character that folds into several units is marked as a whole. */
function nextStart(starts: readonly number[], at: number): number {
  const last = starts[at - 1]!;
  let end = at;
  while (end < starts.length - 1 && starts[end] === last) end += 1;
  return starts[end]!;
}

const EDGE = String.raw`[\s\p{P}\p{S}]`;

function toPattern({ text, isNumber }: Needle): RegExp {
  if (isNumber) return new RegExp([...text].join(String.raw`[ \-.,'()/]{0,3}`), 'gu');
  const words = text
    .trim()
    .split(' ')
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join(`${EDGE}+`);
  const before = text.startsWith(' ') ? `(?<=^|${EDGE})` : '';
  const after = text.endsWith(' ') ? `(?=$|${EDGE})` : '';
  return new RegExp(`${before}${words}${after}`, 'gu');
}
