// Wire shapes of OpenAI's Responses API, as far as flows use them (docs/openai.md#responses).
// Source: npm `openai` 6.49.0, resources/responses/responses.d.ts.
import { z } from 'zod';
import { SESSION_CHARACTERS_MAX } from '../turns/schemas.ts';
import { among, content, MESSAGES_MAX, parley, requestMembers } from './schemas.ts';

const itemType = z.literal('message').optional();

const item = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [
    among({ type: itemType, role: z.enum(['system', 'developer', 'user']), content: content.nullish() }),
    among({ type: itemType, role: z.literal('assistant') }),
  ]),
  among({
    type: z.literal('function_call_output'),
    call_id: z.string().max(SESSION_CHARACTERS_MAX),
    output: content,
  }),
  // The flow knows its calls, and has no use for the work of a model before it.
  among({
    type: z.enum([
      'function_call',
      'reasoning',
      'web_search_call',
      'file_search_call',
      'code_interpreter_call',
      'image_generation_call',
      'mcp_call',
      'mcp_list_tools',
    ]),
  }),
]);

/** The service stores no conversation, so it cannot continue one by its id. */
const stored = z
  .null(
    'is not supported: no response is stored; send the whole conversation as `input` ' +
      '(LiveKit: store=False; Pipecat: OpenAIResponsesHttpLLMService)',
  )
  .optional();

export const responseRequest = among({
  ...requestMembers,
  input: z
    .union([content.options[0], z.array(item).max(MESSAGES_MAX)])
    .nullish()
    .describe('The whole conversation, oldest first; none: the flow speaks first'),
  previous_response_id: stored,
  conversation: stored,
}).meta({
  id: 'ResponseRequest',
  description: 'Ignores members that a flow does not use, such as `instructions` and `tools`.',
});
export type ResponseRequest = z.output<typeof responseRequest>;

const status = z.enum(['in_progress', 'completed']);

const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(z.never()),
});

const outputItem = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string(),
    type: z.literal('message'),
    status,
    role: z.literal('assistant'),
    content: z.array(outputText),
  }),
  z.strictObject({
    id: z.string(),
    type: z.literal('function_call'),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string().describe('JSON'),
  }),
]);

export const modelResponse = z
  .strictObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int(),
    completed_at: z.int(),
    status: z.literal('completed'),
    background: z.literal(false),
    error: z.null(),
    incomplete_details: z.null(),
    instructions: z.null(),
    max_output_tokens: z.null(),
    metadata: z.strictObject({}),
    model: z.string(),
    output: z.array(outputItem),
    parallel_tool_calls: z.literal(false),
    previous_response_id: z.null(),
    temperature: z.null(),
    text: z.strictObject({ format: z.strictObject({ type: z.literal('text') }) }),
    tool_choice: z.literal('auto'),
    tools: z.array(z.never()),
    top_p: z.null(),
    truncation: z.literal('disabled'),
    usage: z.strictObject({
      input_tokens: z.int(),
      input_tokens_details: z.strictObject({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    }),
    parley,
  })
  .meta({ id: 'ModelResponse' });
