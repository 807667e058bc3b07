// Requests of voice platforms to the Responses API, as they name a call.
import type { RecordedRequest } from './recorded.ts';

const pipecat = 'github.com/pipecat-ai/pipecat adapters/services/open_ai_responses_adapter.py';
const livekit = 'github.com/livekit/agents livekit-plugins-openai responses/llm.py: LLM.chat';
const elevenlabs = 'github.com/elevenlabs/elevenlabs-python types/custom_llm.py: api_type, request_headers';

const tools = [
  { type: 'function', name: 'book', parameters: { type: 'object', properties: {} }, strict: null },
];
const input = [{ role: 'user', content: 'hello' }];

export const responseRequests: readonly RecordedRequest[] = [
  {
    name: 'LiveKit, store=False',
    source: livekit,
    body: {
      input: [{ role: 'system', content: 'You are a booking assistant.' }, ...input],
      user: 'room-1',
      store: false,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools,
      stream: true,
    },
    session: 'room-1',
  },
  {
    name: 'LiveKit, metadata',
    source: livekit,
    body: { input, metadata: { session_id: 'room-2' }, store: false, stream: true },
    session: 'room-2',
  },
  { name: 'LiveKit, no name', source: livekit, body: { input, store: false, stream: true }, session: null },
  {
    name: 'Pipecat, extra members',
    source: pipecat,
    body: { input, instructions: 'You are a booking assistant.', tools, user: 'call-7', stream: true },
    session: 'call-7',
  },
  {
    name: 'Pipecat, nothing said yet',
    source: pipecat,
    body: { input: [{ role: 'developer', content: 'You are a booking assistant.' }], user: 'call-8' },
    session: 'call-8',
  },
  {
    name: 'ElevenLabs, a header with the conversation',
    source: elevenlabs,
    headers: { 'x-session-id': 'conv_01jxd5y165f62a0v7gtr6bkg56' },
    body: { input, stream: true },
    session: 'conv_01jxd5y165f62a0v7gtr6bkg56',
  },
];
