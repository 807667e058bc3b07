// Formats a turn as a chat completion, whole or as events (docs/openai.md#answers).
import type { TurnWire } from '@parley/flow-engine';
import type { ChatTurn, Parley } from './play-chat.ts';
import { toFunctionCalls } from './tool-calls.rules.ts';

/** Tokens are not counted: most turns query no model. */
const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** The first two are OpenAI's; the others mark the end of a conversation. */
const finishReasons = {
  waiting: 'stop',
  no_route: 'stop',
  waiting_for_tool: 'tool_calls',
  completed: 'end',
  handed_off: 'handoff',
} as const satisfies Readonly<Record<TurnWire['status'], string>>;

interface AnsweredChat extends ChatTurn {
  readonly id: string;
}

/** A tool that still runs is not called again. */
const toFinishReason = ({ status }: Parley, calls: readonly object[]) =>
  status === 'waiting_for_tool' && calls.length === 0 ? 'stop' : finishReasons[status];

export function toCompletion(answered: AnsweredChat) {
  const { texts, parley } = answered;
  const calls = toToolCalls(parley);
  const message = {
    role: 'assistant' as const,
    content: texts.length === 0 && calls.length > 0 ? null : texts.join(TEXT_SEPARATOR),
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...toHead(answered, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(parley, calls) }],
    usage,
    parley,
  };
}

/** As server-sent events: one for each text and call, then the end, and the usage if requested. */
export function toEvents(answered: AnsweredChat, withUsage: boolean): string {
  const { texts, parley } = answered;
  const calls = toToolCalls(parley);
  const head = toHead(answered, 'chat.completion.chunk');
  const piece = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const pieces: object[] = [
    piece({ role: 'assistant', content: texts[0] ?? '' }),
    ...texts.slice(1).map((text) => piece({ content: TEXT_SEPARATOR + text })),
    ...calls.map((call, index) => piece({ tool_calls: [{ index, ...call }] })),
    { ...piece({}, toFinishReason(parley, calls)), parley },
    ...(withUsage ? [{ ...head, choices: [], usage }] : []),
  ];
  return `${pieces.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
}

function toHead<Kind extends string>({ id, nowMs, model }: AnsweredChat, object: Kind) {
  return { id, object, created: Math.floor(nowMs / 1000), model };
}

/** Two texts of a turn are two paragraphs in writing, and two sentences in speech. */
export const TEXT_SEPARATOR = '\n';

const toToolCalls = (parley: Parley) =>
  toFunctionCalls(parley).map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: args },
  }));
