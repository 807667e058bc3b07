// One answer of one node, with what was made of each word: for the tools that show a designer how an answer was read.
import { compileCast, type CastRules, type ReadingContext } from './cast.ts';
import type { Cast } from './casts.ts';
import { tokenize, type Token } from './grammar/tokens.ts';
import type { CastOutcome } from './outcome.ts';

export interface AnswerSpec extends CastRules {
  readonly cast: Cast | null;
}

/** `rule`: as a whole, as a correction of itself, or as a value inside a sentence. */
export type AnswerReading = CastOutcome & {
  readonly rule: 'whole' | 'repair' | 'sentence' | null;
  readonly tokens: readonly Token[];
};

export function readAnswer(utterance: string, spec: AnswerSpec, context: ReadingContext): AnswerReading {
  const outcome = compileCast(spec.cast, spec)(utterance, context);
  const { tokens } = tokenize(utterance);
  if (!outcome.ok) return { ...outcome, rule: null, tokens };
  return { ...outcome, rule: outcome.discarded === null ? outcome.reading : 'repair', tokens };
}
