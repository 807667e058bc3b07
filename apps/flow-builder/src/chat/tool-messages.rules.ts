// Judges what a platform says of a tool call (docs/openai.md#tools): a result, an error, or that
// the tool still runs. A status word that is in no table is never a success.
type ToolOutcome =
  | { readonly status: 'ok'; readonly result: unknown }
  | { readonly status: 'pending' }
  | { readonly status: 'error'; readonly code: string; readonly message: string };

/** The value of a text that is JSON, else the text. */
type ReadJson = (text: string) => unknown;

export type Verdict = 'no_value' | 'pending' | 'cancelled' | 'failed' | 'unknown';

interface ToolWords {
  readonly platform: string;
  readonly verdict: Verdict;
  /** The whole text. */
  readonly text?: string;
  /** How the text begins. */
  readonly prefix?: string;
  /** How the text ends. */
  readonly suffix?: string;
  readonly source: string;
}

const pipecat = 'github.com/pipecat-ai/pipecat processors/aggregators/llm_response_universal.py';
const pipecatAsync = 'github.com/pipecat-ai/pipecat processors/aggregators/async_tool_messages.py';
const livekit = 'github.com/livekit/agents livekit-agents voice/generation.py, llm/utils.py';
/** 1.9.0, agents/src. */
const livekitNode = 'github.com/livekit/agents-js voice/generation.ts, voice/tool_executor.ts, llm/utils.ts';
const vapi = 'docs.vapi.ai/tools/custom-tools-troubleshooting';

type Words = Pick<ToolWords, 'text' | 'prefix' | 'suffix'>;

const said =
  (platform: string, source: string) =>
  (verdict: Verdict, words: Words): ToolWords => ({ platform, verdict, ...words, source });
const byPipecat = said('Pipecat', pipecat);
const byLivekit = said('LiveKit', livekit);
const byLivekitNode = said('LiveKit for Node', livekitNode);

/** LiveKit sends errors as plain texts: its format for OpenAI has no place for `is_error`. */
export const toolWords: readonly ToolWords[] = [
  byPipecat('pending', { text: 'IN_PROGRESS' }),
  byPipecat('cancelled', { text: 'CANCELLED' }),
  byPipecat('no_value', { text: 'COMPLETED' }),
  said('Pipecat', pipecatAsync)('cancelled', { prefix: 'CANCELLED:' }),
  byLivekit('failed', { prefix: 'An internal error occurred' }),
  byLivekit('failed', { prefix: 'the tool returned an invalid output' }),
  byLivekit('failed', { prefix: 'the tool returned more than one agent' }),
  byLivekit('failed', { prefix: 'Unknown function: ' }),
  byLivekit('failed', { prefix: 'Unknown tool type for function: ' }),
  byLivekit('failed', { prefix: 'Error parsing arguments for `' }),
  // No value, or a tool that stopped the answer: LiveKit sends the same for both.
  byLivekit('unknown', { text: '' }),
  byLivekitNode('pending', { text: 'The tool call is still in progress.' }),
  byLivekitNode('pending', {
    suffix: "so DON'T make up or give information not included in the message above.",
  }),
  byLivekitNode('failed', { prefix: 'Tool execution failed: ' }),
  byLivekitNode('failed', { prefix: 'Arguments parsing failed: ' }),
  byLivekitNode('failed', { prefix: 'Invalid JSON: ' }),
  byLivekitNode('failed', { prefix: 'Same tool `' }),
  byLivekitNode('failed', { prefix: 'cannot replace duplicate call of `' }),
  byLivekitNode('failed', { prefix: 'An agent transition is in progress' }),
  said('Vapi', vapi)('failed', { prefix: 'No result returned' }),
];

/** Words for the state of a call that no platform above sends. They are no data. */
const stateWords = new Set([
  ...['PENDING', 'QUEUED', 'STARTED', 'RUNNING', 'FAILED', 'FAILURE', 'ERROR'],
  ...['CANCELED', 'ABORTED', 'INTERRUPTED', 'TIMEOUT', 'TIMED_OUT', 'TIMED OUT', 'UNKNOWN'],
]);

/** The envelope of Pipecat's asynchronous tools. */
const ASYNC_TYPE = 'async_tool';

/**
 * The call and the outcome in a message with the role `tool`. LiveKit's asynchronous tools answer
 * once more, under ids of their own: `<call>_update_1` while they run, `<call>_final` with the
 * result (agents-js, voice/run_context.ts).
 */
export function readToolResult(
  id: string,
  content: string,
  toJson: ReadJson,
): { callId: string; outcome: ToolOutcome } {
  const [, callId = id, suffix = ''] = /^(.+)_(update_\d+|final)$/.exec(id) ?? [];
  const isUpdate = suffix.startsWith('update');
  return { callId, outcome: isUpdate ? { status: 'pending' } : judgeToolMessage(content, toJson) };
}

/** @param content of a message with the role `tool` or `function` */
export function judgeToolMessage(content: string, toJson: ReadJson): ToolOutcome {
  const value = toJson(content);
  const members = asObject(value);
  if (members['type'] === ASYNC_TYPE) return judgeAsync(members, toJson);
  const error = readError(members);
  if (error !== null) return error;
  const text = typeof value === 'string' ? value : null;
  const verdict = text === null ? null : findVerdict(text.trim());
  return verdict === null ? { status: 'ok', result: value } : toOutcome(verdict, text!);
}

/**
 * The call and the outcome in a message of another role: results of Pipecat's asynchronous tools.
 * Null = another message.
 */
export function readAsyncTool(
  content: string,
  toJson: ReadJson,
): { callId: string; outcome: ToolOutcome } | null {
  if (!content.includes(ASYNC_TYPE)) return null;
  const members = asObject(toJson(content));
  const callId = members['tool_call_id'];
  if (members['type'] !== ASYNC_TYPE || typeof callId !== 'string') return null;
  return { callId, outcome: judgeAsync(members, toJson) };
}

/** A partial result (`running`) is not read: more may follow. */
function judgeAsync({ status, result }: Readonly<Record<string, unknown>>, toJson: ReadJson): ToolOutcome {
  if (status === 'running') return { status: 'pending' };
  if (status === 'finished' && typeof result === 'string') return judgeToolMessage(result, toJson);
  return toOutcome('unknown', String(status));
}

function findVerdict(text: string): Verdict | null {
  const row = toolWords.find(
    (words) =>
      text === words.text ||
      (words.prefix !== undefined && text.startsWith(words.prefix)) ||
      (words.suffix !== undefined && text.endsWith(words.suffix)),
  );
  return row?.verdict ?? (stateWords.has(text) ? 'unknown' : null);
}

const codes = { cancelled: 'tool_cancelled', failed: 'tool_failed', unknown: 'tool_result_unknown' } as const;

function toOutcome(verdict: Verdict, message: string): ToolOutcome {
  if (verdict === 'pending') return { status: 'pending' };
  if (verdict === 'no_value') return { status: 'ok', result: null };
  return { status: 'error', code: codes[verdict], message };
}

/** `{"error": {"code", "message"}}` or `{"error": "text"}`, without other members. */
function readError({ error, ...others }: Readonly<Record<string, unknown>>): ToolOutcome | null {
  if (Object.keys(others).length > 0) return null;
  if (typeof error === 'string' && error !== '') return toOutcome('failed', error);
  const { code, message = '' } = asObject(error);
  return typeof code === 'string' && typeof message === 'string' ? { status: 'error', code, message } : null;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
