// Asks a model for JSON of a schema, for classifier and extractor: instructions in the system part,
// the utterance as JSON in the user part, and a result that is checked.
import { asObject, isStorable, parseJson, storableText, type JsonObject } from './outside-json.ts';
import type { GatewayFailure, GatewayUse, Provider } from './provider.ts';

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
  /** Name of the schema on the wire. */
  readonly name: string;
  readonly schema: JsonObject;
  /** false for schemas that strict mode does not support. Providers would refuse them. */
  readonly strict: boolean;
  readonly timeoutMs: number;
}

export type StructuredAnswer =
  | { readonly kind: 'answer'; readonly value: JsonObject }
  | { readonly kind: 'failed'; readonly failure: GatewayFailure | 'nonsense' };

/** `nonsense`: the result is no JSON object, or variables cannot hold it. */
export async function askStructured(
  provider: Provider,
  question: StructuredQuestion,
): Promise<StructuredAnswer> {
  const { use, model, system, utterance, name, schema, strict, timeoutMs } = question;
  const spoken = storableText(utterance.slice(0, UTTERANCE_CHARS_MAX));
  const answer = await provider.chat({
    use,
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: JSON.stringify({ utterance: spoken }) },
    ],
    options: { response_format: { type: 'json_schema', json_schema: { name, strict, schema } } },
    steady: true,
    timeoutMs,
  });
  if (answer.kind === 'failed') return { kind: 'failed', failure: answer.failure };
  const { content, toolCalls } = answer.completion;
  if (content === null || content.length > ANSWER_CHARS_MAX || toolCalls.length > 0) return nonsense;
  const value = asObject(parseJson(content));
  return value !== null && isStorable(value) ? { kind: 'answer', value } : nonsense;
}

const nonsense: StructuredAnswer = { kind: 'failed', failure: 'nonsense' };
