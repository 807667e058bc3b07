// The messages of a chat as the turns of a conversation (docs/openai.md#history). What the assistant said is not read: that it said
// something is where one turn ends and the next begins.
import { findRefusedJson } from '@parley/server/http';
import type { HistoryTurn, ToolMessage, ToolOutcome } from '../walk/catch-up.ts';
import type { ChatMessage } from './schemas.ts';

/** Oldest first; the last one is the turn that is asked for. */
export function turnsOf(messages: readonly ChatMessage[]): HistoryTurn[] {
  const turns: { said: string[]; results: ToolMessage[] }[] = [{ said: [], results: [] }];
  let isAnswered = false;
  for (const message of messages) {
    if (message.role === 'assistant') isAnswered = true;
    if (message.role !== 'user' && message.role !== 'tool') continue; // the flow is its own prompt
    if (isAnswered) turns.push({ said: [], results: [] });
    isAnswered = false;
    const turn = turns.at(-1)!;
    const content = textOf(message);
    if (message.role !== 'tool') turn.said.push(content);
    else turn.results.push({ callId: message.tool_call_id, outcome: outcomeOf(valueOf(content)) });
  }
  if (isAnswered) turns.push({ said: [], results: [] });
  return turns.map(({ said, results }) => ({
    // Words that nobody answered yet are one utterance: who goes on speaking interrupts the answer.
    userInput: said.length === 0 ? null : said.join(' '),
    results,
  }));
}

/** The messages before the first answer: the same in every request of a conversation. */
export function firstMessages(messages: readonly ChatMessage[]): readonly string[][] {
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  return messages
    .slice(0, answered === -1 ? messages.length : answered)
    .flatMap((message) => (message.role === 'assistant' ? [] : [[message.role, textOf(message)]]));
}

function textOf({ content }: Exclude<ChatMessage, { role: 'assistant' }>): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

/** `{"error": {"code", "message"}}` and nothing else: the tool failed (docs/flow-language.md#waits). */
function outcomeOf(result: unknown): ToolOutcome {
  const { error, ...others } = objectOf(result);
  const { code, message = '' } = objectOf(error);
  return typeof code === 'string' && typeof message === 'string' && Object.keys(others).length === 0
    ? { status: 'error', code, message }
    : { status: 'ok', result };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A tool's result is a text there. What is JSON is meant as JSON, unless a body could not have it. */
function valueOf(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content);
    return findRefusedJson(value).length === 0 ? value : content;
  } catch {
    return content;
  }
}
