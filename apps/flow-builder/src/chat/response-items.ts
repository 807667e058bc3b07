// Reads the items of a response request as the messages of a chat (docs/openai.md#responses).
import type { ResponseRequest } from './response-schemas.ts';
import type { ChatMessage } from './schemas.ts';

type Item = Exclude<NonNullable<ResponseRequest['input']>, string>[number];

/** Oldest first. No input: the flow speaks first. */
export function toMessages(input: ResponseRequest['input']): ChatMessage[] {
  if (input == null) return [];
  return typeof input === 'string'
    ? [{ role: 'user', content: input }]
    : input.map((item) => toMessage(item));
}

function toMessage(item: Item): ChatMessage {
  switch (item.type) {
    case 'function_call_output':
      return { role: 'tool', tool_call_id: item.call_id, content: item.output };
    case undefined:
    case 'message':
      return item;
    // Calls and the work of hosted tools belong to an answer.
    default:
      return { role: 'assistant' };
  }
}
