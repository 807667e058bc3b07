// Asks a model for JSON of a schema, for classifier and extractor: instructions in the system part,
// the utterance as JSON in the user part, and a result that is checked.
import type { AnswerSchema } from './completion.ts';
import type { GatewayFailure } from './failures.ts';
import type { Meter } from './meter.ts';
import { isStorable, storableText, type JsonObject } from './outside-json.ts';
import type { GatewayUse, Provider } from './provider.ts';
import { readJsonObject } from './read-answer.ts';

/** Characters of the result: a few fields, or an index. */
const ANSWER_CHARS_MAX = 65_536;
/** Characters of the utterance that the model gets. */
const UTTERANCE_CHARS_MAX = 8_000;

export interface StructuredQuestion {
  readonly use: GatewayUse;
  readonly model: string;
  /** Instructions, and texts of the author. */
  readonly system: string;
  readonly utterance: string;
  readonly answerSchema: AnswerSchema;
  readonly timeoutMs: number;
  readonly meter?: Meter | undefined;
}

export type StructuredAnswer =
  | { readonly kind: 'answer'; readonly value: JsonObject }
  | { readonly kind: 'failed'; readonly failure: GatewayFailure };

/** `nonsense`: the result is no JSON object, or variables cannot hold it. */
export async function askStructured(
  provider: Provider,
  question: StructuredQuestion,
): Promise<StructuredAnswer> {
  const { use, model, system, utterance, answerSchema, timeoutMs, meter } = question;
  const spoken = storableText(utterance.slice(0, UTTERANCE_CHARS_MAX));
  const answer = await provider.chat({
    use,
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: JSON.stringify({ utterance: spoken }) },
    ],
    answerSchema,
    steady: true,
    timeoutMs,
    meter,
  });
  if (answer.kind === 'failed') return { kind: 'failed', failure: answer.failure };
  const { content, toolCalls } = answer.completion;
  const value = toolCalls.length > 0 || content === null ? null : readValue(content);
  if (value !== null) return { kind: 'answer', value };
  provider.reject({ use, model }, 'nonsense');
  return { kind: 'failed', failure: 'nonsense' };
}

function readValue(content: string): JsonObject | null {
  const value = content.length > ANSWER_CHARS_MAX ? null : readJsonObject(content);
  return value !== null && isStorable(value) ? value : null;
}
