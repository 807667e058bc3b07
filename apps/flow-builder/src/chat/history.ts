// Splits the messages of a chat into turns (docs/openai.md#history). Messages of the assistant are
// not read: they only separate turns.
import { findRefusedJson } from '@parley/server/http';
import type { HistoryTurn, ToolMessage, ToolOutcome } from '../walk/catch-up.ts';
import type { ChatMessage } from './schemas.ts';

/** Oldest first. The last one is the turn to execute. */
export function toTurns(messages: readonly ChatMessage[]): HistoryTurn[] {
  const turns: { said: string[]; results: ToolMessage[] }[] = [{ said: [], results: [] }];
  let isAnswered = false;
  for (const message of messages) {
    if (message.role === 'assistant') isAnswered = true;
    if (message.role !== 'user' && message.role !== 'tool') continue; // the flow is its own prompt
    if (isAnswered) turns.push({ said: [], results: [] });
    isAnswered = false;
    const turn = turns.at(-1)!;
    const content = readText(message);
    if (message.role !== 'tool') turn.said.push(content);
    else
      turn.results.push({ callId: message.tool_call_id, outcome: toToolOutcome(parseToolResult(content)) });
  }
  if (isAnswered) turns.push({ said: [], results: [] });
  return turns.map(({ said, results }) => ({
    // Messages without an answer between them are one utterance: the caller interrupted the answer.
    userInput: said.length === 0 ? null : said.join(' '),
    results,
  }));
}

function readText({ content }: Exclude<ChatMessage, { role: 'assistant' }>): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

/**
 * `{"error": {"code", "message"}}` without other members means that the tool failed
 * (docs/flow-language.md#waits).
 */
function toToolOutcome(result: unknown): ToolOutcome {
  const { error, ...others } = asObject(result);
  const { code, message = '' } = asObject(error);
  return typeof code === 'string' && typeof message === 'string' && Object.keys(others).length === 0
    ? { status: 'error', code, message }
    : { status: 'ok', result };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/**
 * Tool results are texts in the API. Texts that are JSON become JSON, unless a request body could
 * not contain it.
 */
function parseToolResult(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content);
    return findRefusedJson(value).length === 0 ? value : content;
  } catch {
    return content;
  }
}
