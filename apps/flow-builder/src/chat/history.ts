// Splits the messages of a chat into turns (docs/openai.md#history). Messages of the assistant are
// not read: they only separate turns.
import { findRefusedJson } from '@parley/server/http';
import type { HistoryTurn, ToolMessage } from '../walk/catch-up.ts';
import type { ChatMessage } from './schemas.ts';
import { judgeToolMessage, readAsyncTool, readToolResult } from './tool-messages.rules.ts';

/** Oldest first. The last one is the turn to execute. */
export function toTurns(messages: readonly ChatMessage[]): HistoryTurn[] {
  const turns: { said: string[]; results: ToolMessage[] }[] = [{ said: [], results: [] }];
  let isAnswered = false;
  for (const message of messages) {
    if (message.role === 'assistant') isAnswered = true;
    const result = readToolMessage(message);
    if (message.role !== 'user' && result === null) continue; // the flow is its own prompt
    if (isAnswered) turns.push({ said: [], results: [] });
    isAnswered = false;
    const turn = turns.at(-1)!;
    if (result !== null) turn.results.push(result);
    else turn.said.push(readText(message));
  }
  if (isAnswered) turns.push({ said: [], results: [] });
  return turns.map(({ said, results }) => ({
    // Messages without an answer between them are one utterance: the caller interrupted the answer.
    userInput: said.length === 0 ? null : said.join(' '),
    results,
  }));
}

/** Results of asynchronous tools come in messages that are otherwise not read. */
function readToolMessage(message: ChatMessage): ToolMessage | null {
  switch (message.role) {
    case 'tool':
      return readToolResult(message.tool_call_id, readText(message), parseResult);
    case 'function':
      return { callId: null, outcome: judgeToolMessage(readText(message), parseResult) };
    case 'developer':
    case 'system':
      return readAsyncTool(readText(message), parseResult);
    default:
      return null;
  }
}

/** Images, audio and files cannot be read: a flow has no use for them. */
function readText(message: ChatMessage): string {
  const content = message.role === 'assistant' ? null : message.content;
  if (content == null) return '';
  return typeof content === 'string' ? content : content.map((part) => readPart(part)).join('');
}

const readPart = (part: { readonly type: string; readonly text?: string | null | undefined }): string =>
  TEXT_PARTS.has(part.type) ? (part.text ?? '') : '';

const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text', 'refusal']);

/** How many parts of the messages are ignored, for the note in the answer. */
export function countIgnoredParts(messages: readonly ChatMessage[]): number {
  let ignored = 0;
  for (const message of messages)
    if (message.role !== 'assistant' && Array.isArray(message.content))
      ignored += message.content.filter(({ type }) => !TEXT_PARTS.has(type)).length;
  return ignored;
}

/**
 * Tool results are texts in the API. Texts that are JSON become JSON, unless a request body could
 * not contain it.
 */
function parseResult(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content);
    return findRefusedJson(value).length === 0 ? value : content;
  } catch {
    return content;
  }
}
