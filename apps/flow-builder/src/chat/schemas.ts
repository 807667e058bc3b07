// Wire shapes of OpenAI's chat completions, as far as flows use them (docs/openai.md). Unknown
// members are accepted here, because clients send what models take.
import { z } from 'zod';
import { freeForm, MEMBERS_MAX, pathId } from '@parley/envelopes';
import { flowId } from '../versions/schemas.ts';
import { VARIABLES_BYTES_MAX } from '../walk/turn.ts';
import { SESSION_CHARACTERS_MAX, turnMembers, UTTERANCE_CHARACTERS_MAX } from '../turns/schemas.ts';

/** A conversation of a thousand turns. */
export const MESSAGES_MAX = 2_000;
const PARTS_MAX = 100;
export const MODELS_MAX = 1_000;

/** Reads only these members of an object. */
export function among<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z
    .looseObject(shape)
    .refine((given) => Object.keys(given).length <= MEMBERS_MAX, `must have at most ${MEMBERS_MAX} members`)
    .meta({ maxProperties: MEMBERS_MAX });
}

const text = z.string().max(UTTERANCE_CHARACTERS_MAX);
/** Parts that are no text (images, audio, files) are ignored, with a note in the answer. */
const part = among({ type: z.string().max(64), text: text.nullish() });
export const content = z.union([text, z.array(part).max(PARTS_MAX)]);

const message = z.discriminatedUnion('role', [
  among({ role: z.enum(['system', 'developer', 'user']), content: content.nullish() }),
  // The flow knows its texts and calls, so they are not read.
  among({ role: z.literal('assistant') }),
  among({
    role: z.literal('tool'),
    content: content.nullish(),
    tool_call_id: z.string().max(SESSION_CHARACTERS_MAX),
  }),
  // Of clients before `tool_calls`: it answers the open call.
  among({ role: z.literal('function'), content: content.nullish() }),
]);
export type ChatMessage = z.output<typeof message>;

const sessionId = z.string().min(1).max(SESSION_CHARACTERS_MAX);
/** Of a platform; `""` counts as absent. */
const callId = z.string().max(SESSION_CHARACTERS_MAX).nullish();

export const variables = freeForm();

/** The model, and where a request names its conversation (find-session.ts). */
export const requestMembers = {
  model: z.string().min(1).max(160).describe('`<flow_id>`, the published version, or `<flow_id>@<version>`'),
  stream: z.boolean().nullish(),
  user: sessionId.nullish().describe('Names the conversation if nothing before it does'),
  call: among({ id: callId }).nullish().describe('The call of Vapi'),
  elevenlabs_extra_body: freeForm().nullish().describe('What a client of ElevenLabs passes on'),
  safety_identifier: callId,
  prompt_cache_key: callId,
  metadata: among({
    session_id: sessionId.nullish().describe('Names the conversation'),
    call_id: callId.describe('Names the conversation if nothing before it does'),
    bot_id: pathId(128).nullish().describe('Reports the turn to the voice API, as `bot_id` of execute'),
    variables: z
      .union([variables, z.string().max(VARIABLES_BYTES_MAX)])
      .nullish()
      .describe('Variables that the conversation begins with, or their JSON: the same in each request'),
  }).nullish(),
};

export const chatRequest = among({
  ...requestMembers,
  messages: z
    .array(message)
    .max(MESSAGES_MAX)
    .describe('The whole conversation, oldest first; none: the flow speaks first'),
  stream_options: among({ include_usage: z.boolean().nullish() }).nullish(),
}).meta({
  id: 'ChatRequest',
  description: 'Ignores members that a flow does not use, such as `temperature`.',
});
export type ChatRequest = z.output<typeof chatRequest>;

const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string().describe('JSON') }),
});

export const parley = z
  .strictObject({
    flow_id: flowId,
    version: z.int(),
    session_id: z.string().nullable().describe('null: anonymous'),
    turn: z.int().describe('Number of the turn, from 1'),
    status: turnMembers.status,
    next_node: turnMembers.next_node,
    actions: turnMembers.actions,
    ignored_parts: z.int().optional().describe('Number of images, audio and files that are not read'),
  })
  .meta({ id: 'ParleyTurn', description: 'The turn as in the response of `execute`.' });

export const chatCompletion = z
  .strictObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.strictObject({
        index: z.literal(0),
        message: z.strictObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          tool_calls: z.array(toolCall).optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(['stop', 'tool_calls', 'end', 'handoff']),
      }),
    ),
    usage: z.strictObject({
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      total_tokens: z.int(),
    }),
    parley,
  })
  .meta({ id: 'ChatCompletion' });

export const model = z
  .strictObject({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
  .meta({ id: 'Model' });

export const modelParams = z.strictObject({
  model: z.string().min(1).max(160).describe('`<flow_id>`, or `<flow_id>@<version>`'),
});

export const modelList = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(model).max(MODELS_MAX),
  })
  .meta({ id: 'ModelList' });
