// A turn as a chat completion, whole or in pieces (docs/openai.md#answers).
import type { TurnWire } from '@parley/flow-engine';

/** No tokens of a model are counted: most turns ask none. */
const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** OpenAI's own two, and two for a conversation that is over. */
const finishReasons: Readonly<Record<TurnWire['status'], string>> = {
  waiting: 'stop',
  no_route: 'stop',
  waiting_for_tool: 'tool_calls',
  completed: 'end',
  handed_off: 'handoff',
};

/** The turn, for whoever reads more than OpenAI's members. */
interface Parley extends Pick<TurnWire, 'status' | 'next_node' | 'actions'> {
  readonly flow_id: string;
  readonly version: number;
  readonly session_id: string;
  readonly turn: number;
}

export interface Answered {
  readonly id: string;
  readonly nowMs: number;
  readonly model: string;
  /** What is said, one text after the other. */
  readonly texts: readonly string[];
  readonly parley: Parley;
}

export function completionOf(answered: Answered) {
  const { texts, parley } = answered;
  const calls = toolCalls(parley);
  const message = {
    role: 'assistant' as const,
    content: texts.length === 0 && calls.length > 0 ? null : texts.join(BETWEEN),
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...headOf(answered, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[parley.status] }],
    usage,
    parley,
  };
}

/** Two texts of a turn are two paragraphs for whoever reads, and two sentences for whoever speaks. */
const BETWEEN = '\n';

/** The same as server-sent events: a piece for each text and call, the end, and what was asked for beside it. */
export function eventsOf(answered: Answered, withUsage: boolean): string {
  const { texts, parley } = answered;
  const head = headOf(answered, 'chat.completion.chunk');
  const piece = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const pieces: object[] = [
    piece({ role: 'assistant', content: texts[0] ?? '' }),
    ...texts.slice(1).map((text) => piece({ content: BETWEEN + text })),
    ...toolCalls(parley).map((call, index) => piece({ tool_calls: [{ index, ...call }] })),
    { ...piece({}, finishReasons[parley.status]), parley },
    ...(withUsage ? [{ ...head, choices: [], usage }] : []),
  ];
  return `${pieces.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
}

function headOf<Kind extends string>({ id, nowMs, model }: Answered, object: Kind) {
  return { id, object, created: Math.floor(nowMs / 1000), model };
}

/** The tool that the flow waits for; what it only tells of is among the actions. */
function toolCalls({ status, actions }: Parley) {
  if (status !== 'waiting_for_tool') return [];
  return actions
    .filter((action) => action.type === 'tool' && action['call_id'] !== undefined)
    .slice(-1)
    .map((action) => ({
      id: String(action['call_id']),
      type: 'function' as const,
      function: { name: String(action['tool']), arguments: JSON.stringify(action['args'] ?? {}) },
    }));
}
