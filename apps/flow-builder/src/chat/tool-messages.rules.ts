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

/** LiveKit sends errors as plain texts: its format for OpenAI has no place for `is_error`. */
export const toolWords: readonly ToolWords[] = [
  { platform: 'Pipecat', verdict: 'pending', text: 'IN_PROGRESS', source: pipecat },
  { platform: 'Pipecat', verdict: 'cancelled', text: 'CANCELLED', source: pipecat },
  { platform: 'Pipecat', verdict: 'no_value', text: 'COMPLETED', source: pipecat },
  { platform: 'Pipecat', verdict: 'cancelled', prefix: 'CANCELLED:', source: pipecatAsync },
  { platform: 'LiveKit', verdict: 'failed', prefix: 'An internal error occurred', source: livekit },
  { platform: 'LiveKit', verdict: 'failed', prefix: 'the tool returned an invalid output', source: livekit },
  {
    platform: 'LiveKit',
    verdict: 'failed',
    prefix: 'the tool returned more than one agent',
    source: livekit,
  },
  { platform: 'LiveKit', verdict: 'failed', prefix: 'Unknown function: ', source: livekit },
  { platform: 'LiveKit', verdict: 'failed', prefix: 'Unknown tool type for function: ', source: livekit },
  { platform: 'LiveKit', verdict: 'failed', prefix: 'Error parsing arguments for `', source: livekit },
  // No value, or a tool that stopped the answer: LiveKit sends the same for both.
  { platform: 'LiveKit', verdict: 'unknown', text: '', source: livekit },
  {
    platform: 'LiveKit for Node',
    verdict: 'pending',
    text: 'The tool call is still in progress.',
    source: livekitNode,
  },
  {
    platform: 'LiveKit for Node',
    verdict: 'pending',
    suffix: "so DON'T make up or give information not included in the message above.",
    source: livekitNode,
  },
  { platform: 'LiveKit for Node', verdict: 'failed', prefix: 'Tool execution failed: ', source: livekitNode },
  {
    platform: 'LiveKit for Node',
    verdict: 'failed',
    prefix: 'Arguments parsing failed: ',
    source: livekitNode,
  },
  { platform: 'LiveKit for Node', verdict: 'failed', prefix: 'Invalid JSON: ', source: livekitNode },
  { platform: 'LiveKit for Node', verdict: 'failed', prefix: 'Same tool `', source: livekitNode },
  {
    platform: 'LiveKit for Node',
    verdict: 'failed',
    prefix: 'cannot replace duplicate call of `',
    source: livekitNode,
  },
  {
    platform: 'LiveKit for Node',
    verdict: 'failed',
    prefix: 'An agent transition is in progress',
    source: livekitNode,
  },
  { platform: 'Vapi', verdict: 'failed', prefix: 'No result returned', source: vapi },
];

/** Words for the state of a call that no platform above sends. They are no data. */
const stateWords = new Set([
  ...['PENDING', 'QUEUED', 'STARTED', 'RUNNING', 'FAILED', 'FAILURE', 'ERROR'],
  ...['CANCELED', 'ABORTED', 'INTERRUPTED', 'TIMEOUT', 'TIMED_OUT', 'TIMED OUT', 'UNKNOWN'],
]);

/** The envelope of Pipecat's asynchronous tools. */
const ASYNC_TYPE = 'async_tool';

/**
 * LiveKit's asynchronous tools answer once more, under ids of their own: `<call>_update_1` while
 * they run, `<call>_final` with the result (agents-js, voice/run_context.ts).
 */
export function readLaterId(id: string): { callId: string; isUpdate: boolean } {
  const [, callId = id, suffix = ''] = /^(.+)_(update_\d+|final)$/.exec(id) ?? [];
  return { callId, isUpdate: suffix.startsWith('update') };
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
