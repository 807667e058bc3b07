// The shapes of the OpenAI-compatible chat-completions API that are used here: what is sent, and what is read of an answer.
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

/** A tool call as the API carries it, both ways. */
export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Members of the request body beside model and messages. */
export interface ChatOptions {
  readonly response_format?: unknown;
  readonly tools?: readonly unknown[];
}

/** What the model said. */
export interface Completion {
  readonly content: string | null;
  readonly toolCalls: readonly WireToolCall[];
}

const answer = z.object({
  // One choice is asked for. Of several, none is the answer.
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

export type ReadCompletion =
  | { readonly kind: 'completion'; readonly completion: Completion }
  | { readonly kind: 'failed'; readonly failure: 'malformed' | 'refused' | 'truncated' };

/** Reads the body of a 200: a refusal and an answer cut off in the middle are failures, not answers. */
export function readCompletion(body: string): ReadCompletion {
  const parsed = answer.safeParse(parseJson(body));
  const choice = parsed.data?.choices[0];
  if (choice === undefined) return { kind: 'failed', failure: 'malformed' };
  const { finish_reason: reason, message } = choice;
  if (message.refusal || reason === 'content_filter') return { kind: 'failed', failure: 'refused' };
  if (reason === 'length') return { kind: 'failed', failure: 'truncated' };
  const toolCalls = (message.tool_calls ?? []).map((call): WireToolCall => ({ ...call, type: 'function' }));
  return { kind: 'completion', completion: { content: message.content ?? null, toolCalls } };
}

/** What the gateway calls an error, for the log. Its message is not read: some repeat the key in it. */
export function readErrorCode(body: string): string | undefined {
  const { code, type } = asObject(asObject(parseJson(body))?.['error']) ?? {};
  return [code, type].find((name): name is string => typeof name === 'string' && /^[a-z_]{1,64}$/.test(name));
}
