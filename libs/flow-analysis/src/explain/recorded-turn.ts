// The recorded form of a turn (docs/why.md#a-recorded-turn): its input, the answers on the way, and
// its result, so that any version can replay it. It is a wire format: it goes from service to
// service and through browsers.
import { freeForm } from '@parley/envelopes';
import { z } from 'zod';
import type { FlowModel } from '@parley/flow-engine/define/model';
import { classifierVersion } from '@parley/flow-engine/classify/classifier';
import { hasExamples } from '@parley/flow-engine/define/examples';
import { limits } from '@parley/flow-engine/define/limits';
import type { CallerAnswer } from '@parley/flow-engine/define/waits';
import { utf8Bytes } from '@parley/flow-engine/read/json-bytes';
import { transcriptName, type Bag } from '@parley/flow-engine/read/paths';
import { jsonBytes } from '@parley/flow-engine/read/turn-budget';
import type { TurnInput, TurnResult } from '@parley/flow-engine/walk/turn';
import { turnResultToWire } from '@parley/flow-engine/walk/wire';
import {
  addModelUsage,
  modelUsage,
  nodeId,
  perTurnMax,
  position,
  recordedAnswer,
  type ModelUsage,
  type RecordedAnswer,
} from './recorded-answer.ts';

const label = z.string().max(limits.idCharsMax);

const callerAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('tool_result'),
    call_id: z.string().max(limits.idCharsMax).nullable(),
    outcome: z.discriminatedUnion('status', [
      z.strictObject({ status: z.literal('ok'), result: z.unknown() }),
      z.strictObject({ status: z.literal('pending') }),
      z.strictObject({
        status: z.literal('error'),
        code: z.string().max(limits.textCharsMax),
        message: z.string().max(limits.textCharsMax),
      }),
    ]),
  }),
  z.strictObject({
    kind: z.literal('handoff_result'),
    status: z.enum(['failed', 'returned']),
    reason: z.string().max(limits.textCharsMax).nullable(),
  }),
]);

const recordedInput = z.strictObject({
  user_input: z.string().max(limits.renderedCharsMax).nullable(),
  session_id: z.string().max(255).nullable(),
  answer: callerAnswer.optional().describe('What was brought to a node that waits for its caller'),
  agent_mode: z.enum(['in_process', 'out_of_band']),
  extractor: z.boolean().describe('There was an extractor to ask'),
  confidence_min: z.number().describe("Below it the classifier's answer was none"),
  classifier: position.optional().describe('Version of the embedded classifier, of a flow with examples'),
});

/**
 * Position of the node, position of the edge taken, and who decided; the latter two null when none
 * was taken.
 */
const recordedStep = z.tuple([position, position.nullable(), label.nullable()]);

/** At the first attempt; at a later one; asked again; attempts used up. */
const answerOutcomes = ['understood', 'understood_later', 'asked_again', 'lost'] as const;

export const recordedTurn = z
  .strictObject({
    flow_id: z.string().max(limits.idCharsMax),
    version: z.int().min(1),
    turn: position.describe('Counted in the conversation, from 1'),
    current_node: nodeId.nullable(),
    next_node: nodeId.nullable(),
    status: z.enum(['waiting', 'waiting_for_tool', 'completed', 'handed_off', 'no_route']),
    now: z.number().min(0).describe('Epoch seconds that "tomorrow" was relative to'),
    path: z
      .array(recordedStep)
      .max(perTurnMax)
      .describe('Each visit: index of the node, index of the edge taken, who decided'),
    input: recordedInput.nullable(),
    variables_in: freeForm().nullable().describe('The bag as it came'),
    variables_set: freeForm().nullable().describe('Members of the bag that the turn gave another value'),
    variables_cleared: z.array(z.string().max(limits.textCharsMax)).max(perTurnMax).nullable(),
    answers: z
      .array(recordedAnswer)
      .max(perTurnMax)
      .nullable()
      .describe('What the models said, in the order of asking'),
    messages: z
      .array(
        z.strictObject({
          type: z.enum(['message', 'prompt', 'reprompt']),
          node_id: nodeId,
          text: z.string().max(1_000_000),
        }),
      )
      .max(perTurnMax)
      .nullable(),
    actions: z.array(freeForm()).max(perTurnMax).nullable(),
    answer_outcome: z
      .strictObject({ node: position, outcome: z.enum(answerOutcomes) })
      .optional()
      .describe('What became of the answer to a question: index of its node, and the outcome'),
    usage: modelUsage.optional().describe('What the models of the turn took; absent: no provider was called'),
    truncated: z
      .literal(true)
      .optional()
      .describe('Members that were too large to be kept are null: the turn is not replayed exactly'),
    redacted: z
      .array(z.string().max(limits.textCharsMax))
      .max(perTurnMax)
      .optional()
      .describe('Variables whose values were replaced: the turn is not replayed exactly'),
  })
  .meta({ id: 'RecordedTurn' });

export type RecordedTurn = z.output<typeof recordedTurn>;
type RecordedStep = z.output<typeof recordedStep>;

/** Bytes of JSON of one member of a recorded turn: larger members are omitted. */
const memberBytesMax = 16 * 1024;
/** Bytes of JSON that one byte of a body can become: `1e20` is written with 21. */
const BYTES_OF_ONE_MAX = 6;

/**
 * Records a finished turn. The path is always recorded, even if the rest is too large.
 * @param bytesMax of JSON, of each other member; Infinity for a turn that is compared instead of
 * stored.
 */
export function recordTurn(
  { flowId, version }: { readonly flowId: string; readonly version: number },
  flow: FlowModel,
  turn: TurnInput,
  answers: readonly RecordedAnswer[],
  result: TurnResult,
  bytesMax: number = memberBytesMax,
): RecordedTurn {
  // Written out here and below: copies of a spread cost more than the turn.
  const { outputs, actions } = turnResultToWire(result.trace === null ? result : { ...result, trace: null });
  const changed = findChangedVariables(turn.variables, result.variables);
  // A transcript comes on top of the other variables.
  const bagBytesMax =
    result.variables[transcriptName] === undefined ? bytesMax : bytesMax + limits.transcriptBytesMax;
  let truncated = false;
  const kept = <Value>(value: Value, bytesAtMost?: number, max = bytesMax): Value | null => {
    if (isSmall(value, max, bytesAtMost)) return value;
    truncated = true;
    return null;
  };
  const recorded = {
    flow_id: flowId,
    version,
    turn: (result.variables['_flow'] as { turn: number }).turn,
    current_node: turn.currentNode,
    next_node: result.nextNode,
    status: result.status,
    now: turn.nowMs / 1000,
    path: recordPath(flow, result),
    input: kept(recordInput(flow, turn)),
    variables_in: kept(
      turn.variables,
      turn.variablesBytes === undefined ? undefined : turn.variablesBytes * BYTES_OF_ONE_MAX,
      bagBytesMax,
    ),
    variables_set: kept(changed.set, undefined, bagBytesMax),
    variables_cleared: kept(changed.cleared),
    answers: kept(answers) as RecordedTurn['answers'],
    messages: kept(outputs) as RecordedTurn['messages'],
    actions: kept(actions.map(omitSpec)),
  };
  const outcome = answerOutcome(flow, result);
  const usage = sumUsage(answers);
  const judged = outcome === null ? recorded : { ...recorded, answer_outcome: outcome };
  const whole = usage === null ? judged : { ...judged, usage };
  return truncated ? { ...whole, truncated } : whole;
}

/** The cost is null where that of one answer is. */
function sumUsage(answers: readonly RecordedAnswer[]): ModelUsage | null {
  let sum: ModelUsage | null = null;
  for (const { usage } of answers)
    if (usage !== undefined) sum = sum === null ? usage : addModelUsage(sum, usage);
  return sum;
}

/** Null: nothing was asked, or the utterance called a command or answered other questions only. */
function answerOutcome(flow: FlowModel, { input, visited, taken, status }: TurnResult) {
  if (input === null || input.status === 'command' || input.status === 'filled_others') return null;
  const node = flow.nodesById.get(input.nodeId)?.index ?? 0;
  if (input.decidedBy !== null && input.decidedBy !== 'default')
    return { node, outcome: input.attempts === 0 ? 'understood' : 'understood_later' } as const;
  const isLeft = taken[visited.indexOf(input.nodeId)] !== undefined || status !== 'waiting';
  return { node, outcome: isLeft ? 'lost' : 'asked_again' } as const;
}

function recordInput(flow: FlowModel, turn: TurnInput): RecordedTurn['input'] {
  const input = recordOwnInput(turn);
  return hasExamples(flow) ? { ...input, classifier: turn.earlier?.version ?? classifierVersion } : input;
}

function recordOwnInput(turn: TurnInput) {
  const user_input = turn.userInput ?? null;
  const session_id = turn.session ?? null;
  const agent_mode = turn.agentMode;
  const extractor = turn.extractorAvailable;
  const confidence_min = turn.classifierConfidenceMin ?? limits.classifierConfidenceMin;
  if (turn.answer == null) return { user_input, session_id, agent_mode, extractor, confidence_min };
  const answer = recordAnswer(turn.answer);
  return { user_input, session_id, answer, agent_mode, extractor, confidence_min };
}

function recordAnswer(answer: CallerAnswer): z.output<typeof callerAnswer> {
  if (answer.kind === 'handoff_result') return answer;
  const { kind, callId: call_id, outcome } = answer;
  return { kind, call_id, outcome };
}

/** As walkTurn expects it. */
export function toCallerAnswer({ answer }: NonNullable<RecordedTurn['input']>): CallerAnswer | null {
  if (answer === undefined || answer.kind === 'handoff_result') return answer ?? null;
  const { kind, call_id: callId, outcome } = answer;
  return { kind, callId, outcome };
}

const deciders = { deterministic: 'deterministic', nl: 'classifier', default: 'default' } as const;

function recordPath(flow: FlowModel, { visited, taken }: TurnResult): RecordedStep[] {
  return visited.map((id, visit) => {
    const edgeIndex = taken[visit];
    const kind = edgeIndex === undefined ? undefined : flow.edges[edgeIndex]?.kind;
    const decidedBy = kind === undefined ? null : deciders[kind];
    return [flow.nodesById.get(id)?.index ?? 0, edgeIndex ?? null, decidedBy];
  });
}

/** Values inside variables are never changed in place: the same object is the same value. */
function findChangedVariables(before: Bag, after: Bag): { readonly set: Bag; readonly cleared: string[] } {
  const set: [string, unknown][] = [];
  let left = 0;
  for (const name of Object.keys(after)) {
    const value = after[name];
    // Checks presence only in doubt: for every variable it would cost more than the turn.
    const isSame = before[name] === value && (value !== undefined || Object.hasOwn(before, name));
    if (!isSame) set.push([name, value]);
    if (isSame || Object.hasOwn(before, name)) left += 1;
  }
  const names = Object.keys(before);
  const cleared = left === names.length ? [] : names.filter((name) => !Object.hasOwn(after, name));
  return { set: Object.fromEntries(set), cleared };
}

const specMembers: ReadonlySet<string> = new Set(
  'tools tool_dispatch documents mcp transcript branches'.split(' '),
);

/**
 * Omits the parts of a run spec that repeat the definition or the variables: they are large, and
 * its headers may be secrets.
 */
function omitSpec(action: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (action['type'] !== 'autonomous') return action;
  return Object.fromEntries(Object.entries(action).filter(([name]) => !specMembers.has(name)));
}

/** @param bytesAtMost an upper bound of its size, if known. */
function isSmall(value: unknown, bytesMax: number, bytesAtMost = Infinity): boolean {
  if (bytesMax === Infinity || bytesAtMost <= bytesMax) return true;
  // The estimate is never too low and at worst many times too high: measure only values between the
  // two.
  const estimateMax = bytesMax * 16;
  const estimate = jsonBytes(value, estimateMax);
  if (estimate <= bytesMax) return true;
  return estimate <= estimateMax && utf8Bytes(JSON.stringify(value)) <= bytesMax;
}
