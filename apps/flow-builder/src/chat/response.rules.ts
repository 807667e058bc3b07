// Formats a turn as a response of OpenAI's Responses API, whole or as events
// (docs/openai.md#responses).
import { TEXT_SEPARATOR } from './completion.rules.ts';
import type { ChatTurn } from './play-chat.ts';
import { toFunctionCalls } from './tool-calls.rules.ts';

/** Tokens are not counted: most turns query no model. */
const usage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

interface AnsweredResponse extends ChatTurn {
  readonly id: string;
  readonly messageId: string;
  readonly callId: string;
}

export function toResponse(answered: AnsweredResponse) {
  const { message, call } = toItems(answered);
  return {
    ...toHead(answered),
    status: 'completed' as const,
    completed_at: toSeconds(answered.nowMs),
    output: [message, call].filter((item) => item !== null),
    usage,
    parley: answered.parley,
  };
}

/** A turn without texts and call has an empty message: it separates two utterances in a history. */
function toItems({ texts, parley, messageId, callId }: AnsweredResponse) {
  const [called] = toFunctionCalls(parley);
  const message =
    texts.length === 0 && called !== undefined
      ? null
      : {
          id: messageId,
          type: 'message' as const,
          status: 'completed' as const,
          role: 'assistant' as const,
          content: [toPart(texts.join(TEXT_SEPARATOR))],
        };
  const call =
    called === undefined
      ? null
      : {
          id: callId,
          type: 'function_call' as const,
          status: 'completed' as const,
          call_id: called.id,
          name: called.name,
          arguments: called.arguments,
        };
  return { message, call };
}

const toPart = (text: string) => ({ type: 'output_text' as const, text, annotations: [], logprobs: [] });

const toSeconds = (ms: number) => Math.floor(ms / 1000);

/** Members about sampling and the prompt have OpenAI's empty values: a flow has neither. */
function toHead({ id, nowMs, model }: AnsweredResponse) {
  return {
    id,
    object: 'response' as const,
    created_at: toSeconds(nowMs),
    background: false as const,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    parallel_tool_calls: false as const,
    previous_response_id: null,
    temperature: null,
    text: { format: { type: 'text' as const } },
    tool_choice: 'auto' as const,
    tools: [],
    top_p: null,
    truncation: 'disabled' as const,
  };
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * As server-sent events, in OpenAI's order: created, in progress, each item from `added` to `done`
 * with a delta for each text, completed.
 */
export function toResponseEvents(answered: AnsweredResponse): string {
  const { message, call } = toItems(answered);
  const begun = { ...toHead(answered), status: 'in_progress', output: [] };
  const events: Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...(message === null ? [] : toMessageEvents(message, answered.texts)),
    ...(call === null ? [] : toCallEvents(call, message === null ? 0 : 1)),
    { type: 'response.completed', response: toResponse(answered) },
  ];
  return events.map((event, sequence_number) => toEventText({ ...event, sequence_number })).join('');
}

const toEventText = (event: Event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

type Items = ReturnType<typeof toItems>;

function toMessageEvents(item: NonNullable<Items['message']>, texts: readonly string[]): Event[] {
  const [part] = item.content;
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  return [
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: toPart('') },
    ...texts.map((text, index) => ({
      type: 'response.output_text.delta',
      ...at,
      delta: index === 0 ? text : TEXT_SEPARATOR + text,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...at, text: part!.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item },
  ];
}

function toCallEvents(item: NonNullable<Items['call']>, output_index: number): Event[] {
  const { id: item_id, name, arguments: args } = item;
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, status: 'in_progress', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', item_id, output_index, delta: args },
    { type: 'response.function_call_arguments.done', item_id, output_index, name, arguments: args },
    { type: 'response.output_item.done', output_index, item },
  ];
}
