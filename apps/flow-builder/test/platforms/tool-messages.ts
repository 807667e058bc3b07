// What platforms put into the messages of a tool call, and what becomes of the flow that waits.
import { toolWords, type Verdict } from '../../src/chat/tool-messages.rules.ts';

const pipecat = 'github.com/pipecat-ai/pipecat processors/aggregators/async_tool_messages.py';
const livekit = 'github.com/livekit/agents livekit-agents llm/utils.py: make_function_call_output';
const livekitNode = 'github.com/livekit/agents-js agents/src/voice/run_context.ts, 1.9.0';
const vapi = 'docs.vapi.ai OpenAPI: ToolCallResult';

interface RecordedToolMessage {
  readonly name: string;
  readonly source: string;
  /** `CALL` stands for the id of the call. */
  readonly message: Readonly<Record<string, unknown>>;
  /** What the flow says; null = it waits on. */
  readonly says: string | null;
}

const tool = (content: unknown) => ({ role: 'tool', tool_call_id: 'CALL', content });
const envelope = (members: object) =>
  JSON.stringify({ type: 'async_tool', tool_call_id: 'CALL', description: '…', ...members });
const failed = (code: string) => `Failed: ${code}.`;

const saysAfter: Readonly<Record<Verdict, string | null>> = {
  pending: null,
  no_value: 'Booked.',
  cancelled: failed('tool_cancelled'),
  failed: failed('tool_failed'),
  unknown: failed('tool_result_unknown'),
};

export const toolMessages: readonly RecordedToolMessage[] = [
  { name: 'JSON', source: vapi, message: tool('{"name":"seven"}'), says: 'Table seven.' },
  {
    name: 'parts',
    source: livekit,
    message: tool([
      { type: 'text', text: '{"name":"seven"}' },
      { type: 'image_url', image_url: { url: 'https://a.test/x.png' } },
    ]),
    says: 'Table seven.',
  },
  {
    name: 'role function',
    source: 'OpenAI API before tool_calls; Vapi sends it',
    message: { role: 'function', name: 'book', content: '{"name":"seven"}' },
    says: 'Table seven.',
  },
  { name: 'in progress', source: pipecat, message: tool('"IN_PROGRESS"'), says: null },
  { name: 'in progress, bare', source: pipecat, message: tool('IN_PROGRESS'), says: null },
  { name: 'cancelled', source: pipecat, message: tool('"CANCELLED"'), says: failed('tool_cancelled') },
  { name: 'started', source: pipecat, message: tool(envelope({ status: 'running' })), says: null },
  {
    name: 'partial result',
    source: pipecat,
    message: { role: 'developer', content: envelope({ status: 'running', result: '{"name":"two"}' }) },
    says: null,
  },
  {
    name: 'final result',
    source: pipecat,
    message: { role: 'developer', content: envelope({ status: 'finished', result: '{"name":"seven"}' }) },
    says: 'Table seven.',
  },
  {
    name: 'final result of a cancelled task',
    source: pipecat,
    message: {
      role: 'developer',
      content: envelope({ status: 'finished', result: 'CANCELLED: this tool call was cancelled' }),
    },
    says: failed('tool_cancelled'),
  },
  {
    name: 'an unknown state of a task',
    source: pipecat,
    message: tool(envelope({ status: 'paused', result: '{"name":"seven"}' })),
    says: failed('tool_result_unknown'),
  },
  {
    name: 'progress of a task, under an id of its own',
    source: livekitNode,
    message: { role: 'tool', tool_call_id: 'CALL_update_1', content: '{"name":"two"}' },
    says: null,
  },
  {
    name: 'the result of a task, under an id of its own',
    source: livekitNode,
    message: { role: 'tool', tool_call_id: 'CALL_final', content: '{"name":"seven"}' },
    says: 'Table seven.',
  },
  {
    name: 'an exception',
    source: livekit,
    message: tool('An internal error occurred'),
    says: failed('tool_failed'),
  },
  {
    name: 'an unknown function',
    source: livekit,
    message: tool('Unknown function: book - available tools: find'),
    says: failed('tool_failed'),
  },
  { name: 'nothing', source: livekit, message: tool(''), says: failed('tool_result_unknown') },
  {
    name: 'no result',
    source: 'docs.vapi.ai/tools/custom-tools-troubleshooting',
    message: tool('No result returned for toolCallId'),
    says: failed('tool_failed'),
  },
  {
    name: 'an error of your own',
    source: vapi,
    message: tool('{"error":"full"}'),
    says: failed('tool_failed'),
  },
  {
    name: 'an error with a code',
    source: vapi,
    message: tool('{"error":{"code":"full","message":"No table"}}'),
    says: failed('full'),
  },
  {
    name: 'a state in no table',
    source: 'no platform',
    message: tool('"TIMED_OUT"'),
    says: failed('tool_result_unknown'),
  },
  // Each row of the table, as the whole text of a message.
  ...toolWords.map(({ platform, verdict, text, prefix, suffix, source }) => ({
    name: `${platform}: ${text ?? prefix ?? suffix}`,
    source,
    message: tool(text ?? (prefix === undefined ? `…${suffix}` : `${prefix}…`)),
    says: saysAfter[verdict],
  })),
];
