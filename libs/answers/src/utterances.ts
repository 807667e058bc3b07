// Reads files of utterances with their right values, one a line of a .jsonl file, and counts how
// many casts read correctly.
import { compileCast, type CastRules } from './cast.ts';
import { resolveCast } from './casts.ts';

/** Thursday, 26 November 2026, 09:00 UTC. */
export const utterancesNowMs = Date.parse('2026-11-26T09:00:00Z');

export interface Utterance {
  /** BCP 47. */
  readonly lang: string;
  /** Members of the collect node. */
  readonly node: {
    readonly cast: string;
    readonly choices?: CastRules['choices'];
    readonly default_region?: string;
    readonly date_order?: CastRules['dateOrder'];
    readonly prefer?: CastRules['prefer'];
    readonly strict?: boolean;
    readonly unit?: string | readonly string[];
    readonly reading?: CastRules['reading'];
  };
  readonly text: string;
  /** The right values; null = nothing may be captured. */
  readonly expect: readonly unknown[];
  /** ISO 8601; default: utterancesNowMs. */
  readonly now?: string;
}

export type Judgement = 'right' | 'refused' | 'wrong';

export const parseUtterances = (jsonLines: string): Utterance[] =>
  jsonLines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Utterance);

/** The captured value; null when there is none. */
export function readUtterance({ lang, node, text, now }: Utterance): unknown {
  const rules: CastRules = {
    choices: node.choices ?? [],
    defaultRegion: node.default_region ?? null,
    language: lang,
    prefer: node.prefer ?? null,
    dateOrder: node.date_order ?? null,
    strict: node.strict === true,
    units: [node.unit ?? []].flat(),
    reading: node.reading ?? null,
  };
  const nowMs = now === undefined ? utterancesNowMs : Date.parse(now);
  const outcome = compileCast(resolveCast(node.cast), rules)(text, { nowMs });
  return outcome.ok ? outcome.value : null;
}

export function judge({ expect }: Utterance, value: unknown): Judgement {
  if (expect.some((right) => JSON.stringify(right) === JSON.stringify(value))) return 'right';
  return value === null ? 'refused' : 'wrong';
}
