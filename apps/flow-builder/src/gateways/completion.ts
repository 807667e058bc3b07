// The parts of the OpenAI-compatible chat-completions API that the gateways use.
import { z } from 'zod';
import { parseJson, type JsonObject } from './outside-json.ts';

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls?: readonly WireToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** A tool call, in requests and results. */
export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Members of the request beside model and messages. */
export interface ChatOptions {
  readonly tools?: readonly unknown[];
}

/** The JSON that the answer should be. */
export interface AnswerSchema {
  readonly name: string;
  /** false for schemas that strict mode does not support. Providers would refuse them. */
  readonly strict: boolean;
  readonly schema: JsonObject;
}

/** For providers without a response format of a schema: the schema in the instructions. */
export function describeSchema({ schema }: AnswerSchema): string {
  return `Answer with one JSON object and nothing else. Its JSON Schema: ${JSON.stringify(schema)}`;
}

export interface Completion {
  readonly content: string | null;
  readonly toolCalls: readonly WireToolCall[];
  readonly usage: Usage;
}

/** Tokens of one call as the provider counted them; 0 where it does not say. */
export interface Usage {
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** More than any context window holds: a larger figure is no count. */
const TOKENS_MAX = 100_000_000;

/** Some servers write arguments as JSON, and leave the id of a call out or empty. */
const toolCall = z.object({
  id: z.string().nullish(),
  function: z.object({
    name: z.string(),
    arguments: z
      .union([z.string(), z.looseObject({}).transform((written) => JSON.stringify(written))])
      .nullish()
      .transform((written) => written ?? ''),
  }),
});

/** A text, or parts of a text. Parts of other types (reasoning) are no answer. */
const content = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string(), text: z.unknown().optional() }))
    .transform((parts) =>
      parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join(''),
    ),
]);

const usage = z.object({
  prompt_tokens: z.int().min(0).max(TOKENS_MAX).nullish(),
  completion_tokens: z.int().min(0).max(TOKENS_MAX).nullish(),
});

const answer = z.object({
  usage: usage.nullish().catch(null),
  // The request asks for one choice. A result with several has no answer.
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: content.nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(toolCall).nullish(),
        }),
      }),
    )
    .length(1),
});

export type CompletionResult =
  | { readonly kind: 'completion'; readonly completion: Completion }
  | {
      readonly kind: 'failed';
      readonly failure: 'malformed' | 'refused' | 'truncated';
      /** What a completion took although nobody can use it. */
      readonly usage?: Usage;
    };

/** Reads the body of a 200. Refusals and truncated texts are failures. */
export function readCompletion(body: string): CompletionResult {
  const parsed = answer.safeParse(parseJson(body));
  const choice = parsed.data?.choices[0];
  if (choice === undefined) return { kind: 'failed', failure: 'malformed' };
  const { finish_reason: reason, message } = choice;
  const { prompt_tokens: tokensIn, completion_tokens: tokensOut } = parsed.data?.usage ?? {};
  const taken = { tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0 };
  if (message.refusal || reason === 'content_filter')
    return { kind: 'failed', failure: 'refused', usage: taken };
  if (reason === 'length') return { kind: 'failed', failure: 'truncated', usage: taken };
  const toolCalls = (message.tool_calls ?? []).map((call, index): WireToolCall => ({
    id: call.id || `call_${index}`,
    type: 'function',
    function: call.function,
  }));
  return { kind: 'completion', completion: { content: message.content ?? null, toolCalls, usage: taken } };
}
