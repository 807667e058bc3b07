// The parts of the OpenAI-compatible chat-completions API that the gateways use.
import { z } from 'zod';
import { asObject, parseJson } from './outside-json.ts';

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls: readonly WireToolCall[];
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
  readonly response_format?: unknown;
  readonly tools?: readonly unknown[];
}

export interface Completion {
  readonly content: string | null;
  readonly toolCalls: readonly WireToolCall[];
}

const answer = z.object({
  // The request asks for one choice. A result with several has no answer.
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
            )
            .nullish(),
        }),
      }),
    )
    .length(1),
});

export type CompletionResult =
  | { readonly kind: 'completion'; readonly completion: Completion }
  | { readonly kind: 'failed'; readonly failure: 'malformed' | 'refused' | 'truncated' };

/** Reads the body of a 200. Refusals and truncated texts are failures. */
export function readCompletion(body: string): CompletionResult {
  const parsed = answer.safeParse(parseJson(body));
  const choice = parsed.data?.choices[0];
  if (choice === undefined) return { kind: 'failed', failure: 'malformed' };
  const { finish_reason: reason, message } = choice;
  if (message.refusal || reason === 'content_filter') return { kind: 'failed', failure: 'refused' };
  if (reason === 'length') return { kind: 'failed', failure: 'truncated' };
  const toolCalls = (message.tool_calls ?? []).map((call): WireToolCall => ({ ...call, type: 'function' }));
  return { kind: 'completion', completion: { content: message.content ?? null, toolCalls } };
}

/** The gateway's name of an error, for the log. Messages are not logged: some contain the key. */
export function readErrorCode(body: string): string | undefined {
  const { code, type } = asObject(asObject(parseJson(body))?.['error']) ?? {};
  return [code, type].find((name): name is string => typeof name === 'string' && /^[a-z_]{1,64}$/.test(name));
}
