// What each voice platform is given to run an agent: the code of docs/openai.md with the names of
// the agent (test/snippets.test.ts compares them).
import type { Platform } from '../page-search.ts';

export interface Names {
  /** The public address of the flow builder, without a slash at its end. */
  readonly address: string;
  /** A flow, or a version of one: `booking@3`. */
  readonly model: string;
  readonly agentId: string;
}

export interface Snippet {
  readonly label: string;
  /** Where it goes. */
  readonly where: string;
  /** What to know beside it. */
  readonly notes: string;
  readonly code: (names: Names) => string;
}

export const SNIPPETS: Readonly<Record<Platform, Snippet>> = {
  vapi: {
    label: 'Vapi',
    where:
      'Assistant as JSON. Model provider: Custom LLM. Store the API key as a credential of the kind custom-llm.',
    notes: 'Tool nodes named endCall and transferCall hang up and transfer the call.',
    code: ({ address, model, agentId }) => `{
  "firstMessageMode": "assistant-speaks-first-with-model-generated-message",
  "model": {
    "provider": "custom-llm",
    "url": "${address}/openai/v1",
    "model": "${model}",
    "metadataSendMode": "variable"
  },
  "metadata": { "bot_id": "${agentId}" }
}
`,
  },
  retell: {
    label: 'Retell',
    where:
      'In your server for Retell’s Custom LLM WebSocket. The call id is the last part of the WebSocket’s path.',
    notes: 'Transfer the call when the status of the answer is handed_off.',
    code: ({ address, model }) => `import OpenAI from 'openai';
import type { ParleyAnswer } from '@parley/sdk';

const client = new OpenAI({ baseURL: '${address}/openai/v1', apiKey: process.env.PARLEY_KEY });

type Utterance = { role: 'agent' | 'user'; content: string };

async function answer(callId: string, transcript: Utterance[]) {
  const completion = (await client.chat.completions.create({
    model: '${model}',
    messages: transcript.map(({ role, content }) => ({ role: role === 'agent' ? 'assistant' : 'user', content })),
    metadata: { call_id: callId },
  })) as ParleyAnswer<OpenAI.ChatCompletion>;
  return { content: completion.choices[0]?.message.content, end_call: completion.parley.status === 'completed' };
}
`,
  },
  livekit: {
    label: 'LiveKit',
    where: 'In your agent. Give each call a room of its own: the room’s name is the conversation.',
    notes:
      'Tool nodes call functions of the agent (@function_tool) by their names; let them return json.dumps(…).',
    code: ({ address, model }) => `import os

from livekit.agents import Agent, AgentSession, JobContext
from livekit.plugins import openai


async def entrypoint(ctx: JobContext):
    await ctx.connect()
    session = AgentSession(
        llm=openai.LLM(
            model="${model}",
            base_url="${address}/openai/v1",
            api_key=os.environ["PARLEY_KEY"],
            user=ctx.room.name,
        ),
    )
    await session.start(agent=Agent(instructions=""), room=ctx.room)
    await session.generate_reply()  # the flow speaks first
`,
  },
  pipecat: {
    label: 'Pipecat',
    where: 'In your pipeline. Queue an LLMRunFrame when the client has connected: the flow speaks first.',
    notes: 'Tool nodes call functions of llm.register_function(...) by their names.',
    code: ({ address, model }) => `import os

from pipecat.services.openai.llm import OpenAILLMService


def create_llm(call_id: str) -> OpenAILLMService:
    return OpenAILLMService(
        base_url="${address}/openai/v1",
        api_key=os.environ["PARLEY_KEY"],
        settings=OpenAILLMService.Settings(model="${model}", extra={"user": call_id}),
    )
`,
  },
  elevenlabs: {
    label: 'ElevenLabs',
    where:
      'Agent, LLM: Custom LLM, API type Chat Completions. As JSON of the API. Leave the first message empty.',
    notes: 'Tool nodes named end_call and transfer_to_number hang up and transfer the call.',
    code: ({ address, model }) => `{
  "llm": "custom-llm",
  "custom_llm": {
    "url": "${address}/openai/v1",
    "model_id": "${model}",
    "api_key": { "secret_id": "…" },
    "api_type": "chat_completions",
    "request_headers": { "X-Session-Id": { "variable_name": "system__conversation_id" } }
  }
}
`,
  },
};
