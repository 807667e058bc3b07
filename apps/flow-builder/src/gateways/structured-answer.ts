// One question whose answer is JSON of a given schema. The shape that classifier and extractor share: instructions in the system
// part, what people said as JSON data in the user part, and an answer that is parsed but not believed.
import { asObject, isStorable, parseJson, storableText, type JsonObject } from './outside-json.ts';
import type { GatewayFailure, GatewayUse, Provider } from './provider.ts';

/** Characters of the answer: some fields, or an index. */
const ANSWER_CHARS_MAX = 65_536;
/** Characters of an utterance that are sent: what does not fit is no longer an answer to a question. */
const UTTERANCE_CHARS_MAX = 8_000;

export interface StructuredQuestion {
  readonly use: GatewayUse;
  readonly model: string;
  /** Instructions, and what the author of the flow wrote. */
  readonly system: string;
  readonly utterance: string;
  /** Name of the schema on the wire, and the schema. */
  readonly name: string;
  readonly schema: JsonObject;
  /** False for schemas with members that strict mode does not know: a provider would refuse the call. */
  readonly strict: boolean;
  readonly timeoutMs: number;
}

export type StructuredAnswer =
  | { readonly kind: 'answer'; readonly value: JsonObject }
  | { readonly kind: 'failed'; readonly failure: GatewayFailure | 'nonsense' };

/** `nonsense`: an answer arrived, but it is no JSON object, or none that could be carried in a variable bag. */
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
