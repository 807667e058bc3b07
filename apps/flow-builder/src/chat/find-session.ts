// Where the identity of a call stands in a request (docs/openai.md#which-conversation). Reports,
// imports and chats of one call share this id. A place that names a person or an assistant, such as
// ElevenLabs' `user_id`, is not listed: two calls of one caller are two conversations.
import { ownMember } from '@parley/flow-engine';
import { SESSION_CHARACTERS_MAX } from '../turns/schemas.ts';

interface SessionPlace {
  /** A header, or a path into the body. */
  readonly place: string;
  readonly sentBy: string;
  readonly source: string;
}

export const SESSION_HEADER = 'X-Session-Id';

/** In the order in which they are tried. */
export const sessionPlaces: readonly SessionPlace[] = [
  { place: 'metadata.session_id', sentBy: 'your own settings', source: 'docs/openai.md' },
  {
    place: SESSION_HEADER,
    sentBy: 'ElevenLabs: `request_headers` of a custom LLM',
    source: 'github.com/elevenlabs/elevenlabs-python src/elevenlabs/types/custom_llm.py',
  },
  {
    place: 'call.id',
    sentBy: 'Vapi, unless `metadataSendMode` is `off`',
    source: 'docs.vapi.ai/api-reference/assistants: CustomLLMModel.metadataSendMode',
  },
  ...['session_id', 'conversation_id', 'call_id', 'UUID'].map((name) => ({
    place: `elevenlabs_extra_body.${name}`,
    sentBy: 'ElevenLabs: `custom_llm_extra_body` of a conversation',
    source: 'elevenlabs.io/docs/agents-platform/customization/llm/custom-llm: Custom LLM Parameters',
  })),
  {
    place: 'metadata.call_id',
    sentBy: 'servers for Retell that pass `call` on',
    source: 'docs.retellai.com/integrate-llm/setup-websocket-server: call_details',
  },
  {
    place: 'user',
    sentBy: 'LiveKit (`user`), Pipecat (`extra`)',
    source: 'github.com/livekit/agents livekit-plugins-openai llm.py: _LLMOptions',
  },
  {
    place: 'safety_identifier',
    sentBy: 'LiveKit (`safety_identifier`)',
    source: 'github.com/livekit/agents livekit-plugins-openai llm.py: _LLMOptions',
  },
  {
    place: 'prompt_cache_key',
    sentBy: 'LiveKit (`prompt_cache_key`)',
    source: 'github.com/livekit/agents livekit-plugins-openai llm.py: _LLMOptions',
  },
];

const paths = sessionPlaces.map(({ place }) => (place === SESSION_HEADER ? null : place.split('.')));

/** The header of answers to requests that name no conversation. */
export const ANONYMOUS = { 'x-parley-session': 'anonymous' };

/** The first id that is there; null = anonymous. */
export function findSession(body: object, header: string | undefined): string | null {
  for (const path of paths) {
    const value = path === null ? header : path.reduce<unknown>(ownMember, body);
    if (typeof value === 'string' && value !== '' && value.length <= SESSION_CHARACTERS_MAX) return value;
  }
  return null;
}
