// Runs the agent of an autonomous node in process, if AGENT_MODEL is set. Iterations, time, calls
// and sizes are bounded. The walk continues after every outcome (docs/flow-language.md#agents).
import { toChoice, type AgentOutcome, type AgentSpec, type AgentToolCall } from '@parley/flow-engine';
import type { Log } from '@parley/server/runtime';
import { createAgentMessages } from './agent-messages.ts';
import {
  callTool,
  GOAL_REACHED,
  REPLY,
  readToolSet,
  TOOL_TIMEOUT_MS,
  type Dispatch,
  type ToolResult,
  type ToolSet,
} from './agent-tools.ts';
import type { ChatMessage, WireToolCall } from './completion.ts';
import type { GatewayFailure } from './failures.ts';
import type { ModelTurn } from './meter.ts';
import { selectStated } from './extractor.ts';
import { asObject, isStorable, parseJson, storableText } from './outside-json.ts';
import type { Provider } from './provider.ts';

/**
 * Tool calls of one model result. A model that wants more at once does not work towards its goal.
 */
export const CALLS_PER_ITERATION_MAX = 10;
/** Bytes of `tool_calls` of one run in the variables, which have 256 KiB in all. */
export const RECORD_BYTES_MAX = 65_536;
/**
 * No call starts with less time left. Nothing answers that fast, and timers may fire some
 * milliseconds early.
 */
const CALL_BUDGET_MIN_MS = 25;
/** Characters of the final answer. */
const ANSWER_CHARS_MAX = 10_000;

export interface AgentBounds extends ModelTurn {
  /** The time left in the turn. `turn_budget` of the node applies too. */
  readonly budgetMs: number;
  readonly organizationId: string;
  readonly sessionId: string | null;
}

export interface Agent {
  /** Never throws, and never takes longer than its budget. */
  runAgent(spec: AgentSpec, bounds: AgentBounds): Promise<AgentOutcome>;
}

export interface AgentOptions {
  readonly provider: Provider;
  readonly model: string;
  /** `request` of @parley/outbound. */
  readonly dispatch: Dispatch;
  readonly log: Log;
  /** Called for every tool call with `ok` or the kind of failure. */
  readonly observeTool?: (outcome: string) => void;
}

export function createAgent(options: AgentOptions): Agent {
  return { runAgent: (spec, bounds) => runAgent(options, spec, bounds) };
}

async function runAgent(options: AgentOptions, spec: AgentSpec, bounds: AgentBounds): Promise<AgentOutcome> {
  const deadlineMs = performance.now() + Math.min(spec.turnBudgetSeconds * 1000, bounds.budgetMs);
  const leftMs = () => deadlineMs - performance.now();
  const isSpent = () => !(leftMs() > CALL_BUDGET_MIN_MS);
  const model = bounds.model ?? options.model;
  const toolSet = readToolSet(spec);
  const messages = createAgentMessages(spec);
  const record = createRecord();
  let iterations = 0;
  const end = (status: AgentOutcome['status'], answer: string | null = null): AgentOutcome => ({
    status,
    answer,
    iterations,
    toolCalls: record.calls,
  });
  const fail = (failure: GatewayFailure): AgentOutcome => {
    const outcome = end(failure === 'timeout' ? 'budget_exhausted' : 'error');
    return { ...outcome, failure };
  };
  const rejectAnswer = () => {
    options.provider.reject({ use: 'agent', model }, 'nonsense');
    return fail('nonsense');
  };

  while (iterations < spec.maxIterations) {
    if (isSpent()) return end('budget_exhausted');
    iterations += 1;
    const said = await options.provider.chat({
      use: 'agent',
      model,
      messages,
      options: { tools: toolSet.wire },
      timeoutMs: leftMs(),
      // Tools may have had effects: a short failure of the gateway should not lose them.
      attempts: 2,
      meter: bounds.meter,
    });
    if (said.kind === 'failed') return fail(said.failure);
    const { content, toolCalls } = said.completion;
    if (toolCalls.length === 0) {
      const answer = toAnswer(content);
      if (answer !== null) return end(spec.talk === undefined ? 'goal_reached' : 'replied', answer);
      return rejectAnswer();
    }
    messages.push({ role: 'assistant', content, tool_calls: toolCalls });
    // One after the other, in the order of the model: a call may depend on the one before.
    for (const [position, call] of toolCalls.entries()) {
      const ended = endByCall(call, content, spec, end);
      if (ended !== null) return ended === 'nonsense' ? rejectAnswer() : ended;
      if (isSpent()) return end('budget_exhausted');
      if (position >= CALLS_PER_ITERATION_MAX) {
        messages.push(toolMessage(call, { ok: false, result: { error: 'too_many_calls' } }));
        continue;
      }
      const result = await carryOut(options, toolSet, call, { spec, bounds, leftMs: leftMs(), record });
      messages.push(toolMessage(call, result));
    }
  }
  return end('max_iterations');
}

/** The outcome of a built-in tool; null = another tool. */
function endByCall(
  call: WireToolCall,
  content: string | null,
  spec: AgentSpec,
  end: (status: AgentOutcome['status'], answer: string | null) => AgentOutcome,
): AgentOutcome | 'nonsense' | null {
  const { name } = call.function;
  if (name !== GOAL_REACHED && (name !== REPLY || spec.talk?.extraction === undefined)) return null;
  const answer = readFinalAnswer(call, content);
  if (name === REPLY)
    return answer === null ? 'nonsense' : { ...end('replied', answer), ...readValues(call, spec) };
  const outcome = end('goal_reached', answer);
  if (spec.talk === undefined) return outcome;
  return { ...outcome, choice: readBranch(call), ...readValues(call, spec) };
}

interface Run {
  readonly spec: AgentSpec;
  readonly bounds: AgentBounds;
  readonly leftMs: number;
  readonly record: CallRecord;
}

/** Calls one tool, records it, and logs it without headers, arguments and result. */
async function carryOut(
  { dispatch, log, observeTool }: AgentOptions,
  { tools }: ToolSet,
  call: WireToolCall,
  { spec, bounds, leftMs, record }: Run,
): Promise<ToolResult> {
  const tool = tools.get(call.function.name);
  const name = tool?.name ?? storableText(call.function.name.slice(0, 64));
  const facts = { tool: name, node_id: spec.nodeId, session_id: bounds.sessionId };
  const startedAt = performance.now();
  const result = await callTool(tool, call.function.arguments, {
    dispatch,
    organizationId: bounds.organizationId,
    sessionId: bounds.sessionId,
    timeoutMs: Math.min(TOOL_TIMEOUT_MS, leftMs),
  }).catch((error: unknown): ToolResult => {
    // A bug, or the process is stopping. The walk continues in both cases.
    log.error({ err: error, ...facts }, 'tool.call_broke');
    return { ok: false, args: null, result: { error: 'internal' }, outcome: 'internal' };
  });
  const ms = Math.round(performance.now() - startedAt);
  const { ok, outcome, status } = result;
  log.info({ ...facts, ok, outcome, status, ms }, 'tool.called');
  observeTool?.(outcome);
  record.add({ tool: name, args: result.args, ok, result: result.result, ms });
  return result;
}

function toolMessage(call: WireToolCall, { ok, result }: Pick<ToolResult, 'ok' | 'result'>): ChatMessage {
  return { role: 'tool', tool_call_id: call.id, content: JSON.stringify({ ok, result }) };
}

/** The branch in the arguments of `goal_reached`; null = none. */
function readBranch(call: WireToolCall): AgentOutcome['choice'] {
  const { branch, confidence } = asObject(parseJson(call.function.arguments)) ?? {};
  return toChoice(branch, confidence);
}

/** The declared values that were stated. The engine checks their types. */
function readValues(call: WireToolCall, { talk }: AgentSpec): Pick<AgentOutcome, 'values'> {
  const values = asObject(asObject(parseJson(call.function.arguments))?.['values']);
  if (values === null || talk?.extraction === undefined || !isStorable(values)) return {};
  return { values: selectStated(values, talk.extraction) };
}

/** The argument `answer` of a built-in tool, else the text beside the call. */
function readFinalAnswer(call: WireToolCall, content: string | null): string | null {
  const told = asObject(parseJson(call.function.arguments))?.['answer'];
  return (typeof told === 'string' ? toAnswer(told) : null) ?? toAnswer(content);
}

function toAnswer(text: string | null): string | null {
  const answer = storableText((text ?? '').trim().slice(0, ANSWER_CHARS_MAX));
  return answer === '' ? null : answer;
}

interface CallRecord {
  readonly calls: readonly AgentToolCall[];
  add(call: AgentToolCall): void;
}

/** Records calls for the variables. Calls beyond RECORD_BYTES_MAX lose args and result. */
function createRecord(): CallRecord {
  const calls: AgentToolCall[] = [];
  let bytesLeft = RECORD_BYTES_MAX;
  return {
    calls,
    add: (call) => {
      const bytes = Buffer.byteLength(JSON.stringify(call));
      const fits = bytes <= bytesLeft;
      if (fits) bytesLeft -= bytes;
      calls.push(fits ? call : { ...call, args: null, result: '(left out: too long)' });
    },
  };
}
