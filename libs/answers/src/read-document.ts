// Answers that are documents: JSON, and lists.
import { answerLimits } from './limits.ts';
import { captured, failed, type CastOutcome } from './outcome.ts';
import type { Language } from './language/language.ts';
import { isCarriable } from './readings.ts';
import { withoutFullStop } from './sentence.ts';

export function readJson(answer: string): CastOutcome {
  try {
    const value: unknown = JSON.parse(answer);
    if (!depthWithin(value, answerLimits.jsonAnswerDepthMax)) return failed('too_deep');
    return hasCarriableNumbers(value) ? captured(value) : failed('out_of_range');
  } catch {
    return failed('not_json');
  }
}

function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => depthWithin(member, levels - 1));
}

function hasCarriableNumbers(value: unknown): boolean {
  if (typeof value === 'number') return isCarriable(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasCarriableNumbers);
}

/** A JSON list, or texts between commas, semicolons, line ends and a last "and". */
export function readList(answer: string, { lexicon }: Language): CastOutcome {
  const text = answer.trim();
  if (text.startsWith('[')) {
    const json = readJson(text);
    return json.ok && Array.isArray(json.value) && json.value.length > 0 ? json : failed('not_a_list');
  }
  const pieces = text.split(/[,;\n]/);
  const [head, tail] = splitLastAnd(pieces.pop() ?? '', lexicon.and);
  const items = [...pieces, head, tail]
    .map((piece) => withoutFullStop(piece))
    .filter((piece) => piece !== '');
  return items.length > 0 ? captured(items) : failed('not_a_list');
}

/** "b and c" and the "and c" after a comma. */
function splitLastAnd(piece: string, and: string): readonly [string, string] {
  const spaced = ` ${piece.trim()}`;
  const word = ` ${and} `;
  const at = and === '' ? -1 : spaced.toLowerCase().lastIndexOf(word);
  return at === -1 ? [spaced, ''] : [spaced.slice(0, at), spaced.slice(at + word.length)];
}
