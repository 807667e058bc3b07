// Asks a model to write changes of a flow, for the assistant of the editor. It has no tools: its
// answer is one JSON object, which the caller checks (docs/assistant.md).
import type { AnswerSchema, ChatMessage } from './completion.ts';
import type { GatewayFailure } from './failures.ts';
import type { Meter } from './meter.ts';
import { isStorable, type JsonObject } from './outside-json.ts';
import type { Provider } from './provider.ts';
import { readJsonObject } from './read-answer.ts';

export interface AssistantQuestion {
  readonly messages: readonly ChatMessage[];
  readonly answerSchema: AnswerSchema;
  readonly timeoutMs: number;
  readonly meter: Meter;
}

export type AssistantAnswer =
  /** `value` is null when the text has no JSON object that can be stored. */
  | { readonly kind: 'answer'; readonly value: JsonObject | null; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: GatewayFailure };

export interface Assistant {
  /** The organisation configured the provider itself; otherwise the operator did. */
  readonly isOwn: boolean;
  /** Never throws. */
  ask(question: AssistantQuestion): Promise<AssistantAnswer>;
}

export function createAssistant({
  provider,
  model,
  isOwn,
}: {
  readonly provider: Provider;
  readonly model: string;
  readonly isOwn: boolean;
}): Assistant {
  return {
    isOwn,
    ask: async (question) => {
      const answer = await provider.chat({ use: 'assistant', model, steady: true, attempts: 2, ...question });
      if (answer.kind === 'failed') return { kind: 'failed', failure: answer.failure };
      const text = answer.completion.content ?? '';
      const value = readJsonObject(text);
      return { kind: 'answer', value: value !== null && isStorable(value) ? value : null, text };
    },
  };
}
