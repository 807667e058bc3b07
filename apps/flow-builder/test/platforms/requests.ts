// Requests of voice platforms, as they name a call.
import type { RecordedRequest } from './recorded.ts';

const messages = [
  { role: 'system', content: 'You are a booking assistant.' },
  { role: 'user', content: 'hello' },
];

const vapi = 'docs.vapi.ai OpenAPI: CustomLLMModel.metadataSendMode, Call';
const elevenlabs = 'elevenlabs.io/docs/agents-platform/customization/llm/custom-llm';
const livekit = 'github.com/livekit/agents livekit-plugins-openai llm.py: LLM.chat';
const pipecat = 'github.com/pipecat-ai/pipecat services/openai/base_llm.py: build_chat_completion_params';
const retell = 'docs.retellai.com/api-references/llm-websocket: call_details';

const call = {
  id: '7420f27a-30fd-4f49-a995-5549ae7cc00d',
  orgId: 'eb166faa-7145-46ef-8044-589b47ae3b56',
  type: 'inboundPhoneCall',
  status: 'in-progress',
  assistantId: '78b3f2c1-5a6f-4bd2-a2e4-3b8c0f2f6d11',
  customer: { number: '+15550100' },
};

export const requests: readonly RecordedRequest[] = [
  {
    name: 'Vapi, metadata as a variable',
    source: vapi,
    body: {
      messages,
      call,
      phoneNumber: { number: '+15550101', provider: 'twilio' },
      customer: { number: '+15550100' },
      metadata: { plan: 'gold' },
      temperature: 0.5,
      max_tokens: 250,
      stream: true,
    },
    session: call.id,
  },
  {
    name: 'Vapi, metadata destructured',
    source: vapi,
    body: { messages, call, plan: 'gold', stream: true },
    session: call.id,
  },
  {
    name: 'Vapi, with a session of your own',
    source: vapi,
    body: { messages, call, metadata: { session_id: 'order-4711' } },
    session: 'order-4711',
  },
  { name: 'Vapi, no metadata', source: vapi, body: { messages, stream: true }, session: null },
  {
    name: 'ElevenLabs, a header with the conversation',
    source: 'github.com/elevenlabs/elevenlabs-python types/custom_llm.py: request_headers',
    headers: { 'x-session-id': 'conv_01jxd5y165f62a0v7gtr6bkg56' },
    body: {
      messages,
      temperature: 0,
      max_tokens: 5000,
      stream: true,
      user_id: 'person-1',
      stream_options: { include_usage: true },
    },
    session: 'conv_01jxd5y165f62a0v7gtr6bkg56',
  },
  {
    name: 'ElevenLabs, an extra body',
    source: elevenlabs,
    body: {
      messages,
      stream: true,
      user_id: 'person-1',
      elevenlabs_extra_body: { UUID: '123e4567-e89b-12d3-a456-426614174000', 'parameter-1': 'value-1' },
    },
    session: '123e4567-e89b-12d3-a456-426614174000',
  },
  {
    name: 'ElevenLabs, a person only',
    source: elevenlabs,
    body: { messages, user_id: 'person-1', elevenlabs_extra_body: { 'parameter-1': 'value-1' } },
    session: null,
  },
  {
    name: 'LiveKit, user',
    source: livekit,
    body: { messages, user: 'room-1', stream: true, stream_options: { include_usage: true } },
    session: 'room-1',
  },
  {
    name: 'LiveKit, safety identifier before cache key',
    source: livekit,
    body: { messages, safety_identifier: 'room-2', prompt_cache_key: 'room-3', parallel_tool_calls: true },
    session: 'room-2',
  },
  {
    name: 'LiveKit, cache key',
    source: livekit,
    body: { messages, prompt_cache_key: 'room-3' },
    session: 'room-3',
  },
  { name: 'LiveKit, no name', source: livekit, body: { messages, stream: true }, session: null },
  {
    name: 'Pipecat, extra members',
    source: pipecat,
    body: { messages, user: 'call-7', stream: true, stream_options: { include_usage: true }, tools: [] },
    session: 'call-7',
  },
  {
    name: 'Retell, a server that passes the call on',
    source: retell,
    body: { messages, metadata: { call_id: 'call_9f1d2c', agent_id: 'agent_1' } },
    session: 'call_9f1d2c',
  },
];
