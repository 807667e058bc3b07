// Agents that talk (docs/flow-language.md#agents-that-talk): an autonomous node that speaks, waits
// for the caller, and is left by its edges or when its bounds are used up. Arriving always ends the
// turn, so the node is a wait like a question.
import type { AutonomousNode, ChoiceExit, CompiledNode } from '../compile/compiled.ts';
import { isPending, type CallerAnswer } from '../define/waits.ts';
import { ownMember, type Bag } from '../read/paths.ts';
import { agentSpec, takeAgentWords } from './agent.ts';
import { hasFailed } from './agent-values.ts';
import { forgetCallsExceptAt, setTalkTurns, talkTurnsAt } from './bookkeeping.ts';
import { toTraceResult } from './caller-answer.ts';
import { toAgentStep } from './model-steps.ts';
import { didNotSettle, finish, noRoute, settled } from './outcomes.ts';
import {
  depart,
  findMatchingExit,
  readClassification,
  toChosenDeparture,
  toConditionDeparture,
  toDefaultDeparture,
  toQuestionOutcome,
  toTraceClassifier,
  type ClassifierDecision,
  type Departure,
} from './route.ts';
import { limits } from '../define/limits.ts';
import { traceEnding } from './trace.ts';
import type { AgentOutcome, AgentSpec, Step } from './turn.ts';
import { dispatchAgent } from './visit.ts';
import type { Walk } from './walk-state.ts';

type Proceed = (walk: Walk, next: CompiledNode) => Step;

/** Runs the agent of a node at which the walk has arrived. One that talks speaks and waits. */
export function runAgent(walk: Walk, node: AutonomousNode, spec: AgentSpec, walkOn: Proceed): Step {
  const { talkTurnsMax } = node;
  return toAgentStep(walk, node, spec, (resumed, outcome) => {
    if (talkTurnsMax === null) return walkOn(resumed, node);
    // The turn ends here all the same; the next one leaves by the default edge.
    if (hasFailed(outcome)) setTalkTurns(resumed.variables, node.id, talkTurnsMax);
    return finish(resumed, node, 'waiting');
  });
}

/** A turn that brings the caller's words, or those of an agent that ran out of band. */
export function resumeTalk(walk: Walk, node: AutonomousNode, walkFrom: Proceed): Step {
  if (walk.stepsMax < 1) return didNotSettle(walk, node);
  walk.visited.push(node.id);
  const { answer } = walk.turn;
  if (answer != null && isPending(answer)) return finish(walk, node, 'waiting_for_tool');
  if (answer?.kind === 'tool_result') return receiveWords(walk, node, answer, walkFrom);
  const exit = leaveIf(walk, node, () => {
    const holds = findMatchingExit(node.routes.deterministic, walk);
    if (holds !== null) return toConditionDeparture(holds);
    return isUsedUp(walk, node) ? toDefaultDeparture(node.routes, null) : null;
  });
  if (exit !== null) return leaveTalk(walk, node, exit, walkFrom);
  setTalkTurns(walk.variables, node.id, talkTurnsAt(walk.variables, node.id) + 1);
  const spec = agentSpec(walk, node);
  if (walk.turn.agentMode === 'in_process')
    return toAgentStep(walk, node, spec, (resumed, outcome) => goOn(resumed, node, outcome, walkFrom));
  dispatchAgent(walk, node, spec);
  return finish(walk, node, 'waiting_for_tool');
}

function receiveWords(
  walk: Walk,
  node: AutonomousNode,
  answer: Extract<CallerAnswer, { kind: 'tool_result' }>,
  walkFrom: Proceed,
): Step {
  const outcome = readAgentResult(answer.outcome);
  if (walk.trace !== null) walk.traced = { input: null, extraction: null, result: toTraceResult(answer) };
  forgetCallsExceptAt(walk.variables, null);
  takeAgentWords(walk, node, outcome);
  return goOn(walk, node, outcome, walkFrom);
}

/** After the agent has spoken: leaves the node, or waits for the caller. */
function goOn(walk: Walk, node: AutonomousNode, outcome: AgentOutcome, walkFrom: Proceed): Step {
  const { routes } = node;
  const isOpening = talkTurnsAt(walk.variables, node.id) === 0;
  const failed = hasFailed(outcome);
  if (isOpening && !failed) return finish(walk, node, 'waiting');
  const decision = isOpening || failed ? null : readChoice(walk, outcome, routes.choices);
  const classifier = decision && toTraceClassifier(decision);
  const exit = leaveIf(walk, node, () => {
    const holds = findMatchingExit(routes.deterministic, walk);
    if (holds !== null) return toConditionDeparture(holds);
    if (decision !== null && decision.exit !== null) return toChosenDeparture(decision, decision.exit);
    return failed || isUsedUp(walk, node) ? toDefaultDeparture(routes, classifier) : null;
  });
  if (exit !== null) return leaveTalk(walk, node, exit, walkFrom);
  if (classifier !== null) walk.questions.push(toQuestionOutcome(walk, node, classifier));
  if (walk.trace !== null) traceEnding(walk, node, 'waiting', { exit: null, decidedBy: null, classifier });
  return settled(walk, node, 'waiting', node.id);
}

/**
 * Looks for a way out with what `set` would write, since edges read it. While the node is not left,
 * nothing is set.
 */
function leaveIf(walk: Walk, node: AutonomousNode, find: () => Departure | null): Departure | null {
  const { variables, traced } = walk;
  walk.variables = { ...variables };
  walk.traced = traced && { ...traced };
  node.assign?.(walk);
  const departure = find();
  if (departure === null) Object.assign(walk, { variables, traced });
  return departure;
}

function leaveTalk(walk: Walk, node: AutonomousNode, departure: Departure, walkFrom: Proceed): Step {
  const next = depart(walk, node, departure);
  return next === null ? noRoute(walk, node) : walkFrom(walk, next);
}

const isUsedUp = (walk: Walk, { id, talkTurnsMax }: AutonomousNode): boolean =>
  talkTurnsAt(walk.variables, id) >= (talkTurnsMax ?? 0);

/** The branch that the agent chose beside its words; null = it was not asked. */
function readChoice(
  walk: Walk,
  { choice }: AgentOutcome,
  choices: readonly ChoiceExit[],
): ClassifierDecision | null {
  if (choices.length === 0) return null;
  const confidenceMin = walk.turn.classifierConfidenceMin ?? limits.classifierConfidenceMin;
  const answer = choice == null ? ({ kind: 'none' } as const) : ({ kind: 'chosen', ...choice } as const);
  return readClassification(answer, choices, confidenceMin);
}

const statuses: ReadonlySet<unknown> = new Set<AgentOutcome['status']>([
  'goal_reached',
  'replied',
  'max_iterations',
  'budget_exhausted',
]);

/**
 * Reads what the caller's agent returned: its words as a text, or an object with `answer`,
 * `branch`, `confidence`, `values`, `status`, `iterations` and `tool_calls`. What is unknown is a
 * failure.
 */
export function readAgentResult(
  outcome: Extract<CallerAnswer, { kind: 'tool_result' }>['outcome'],
): AgentOutcome {
  const failure = { status: 'error', answer: null, iterations: 0, toolCalls: [] } as const;
  if (outcome.status !== 'ok') return failure;
  const { result } = outcome;
  const told = typeof result === 'string' ? { answer: result } : result;
  const member = (name: string) => ownMember(told, name) ?? undefined;
  const [answer, branch, status = 'replied'] = [member('answer'), member('branch'), member('status')];
  const text = typeof answer === 'string' && answer.trim() !== '' ? answer : null;
  const isKnown = statuses.has(status) && (answer === undefined || typeof answer === 'string');
  if (!isKnown || (text === null && branch === undefined && status === 'replied')) return failure;
  const [calls, values] = [member('tool_calls'), member('values')];
  const iterations = member('iterations');
  return {
    status: status as AgentOutcome['status'],
    answer: text,
    iterations: typeof iterations === 'number' ? iterations : 0,
    toolCalls: Array.isArray(calls) ? (calls as AgentOutcome['toolCalls']) : [],
    choice: toChoice(branch, member('confidence')),
    ...(isBag(values) ? { values } : {}),
  };
}

const isBag = (value: unknown): value is Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null = no branch. Without a confidence the choice is certain; one that is no number is none. */
export function toChoice(branch: unknown, confidence: unknown): AgentOutcome['choice'] {
  if (branch === undefined || branch === null) return null;
  const index = typeof branch === 'string' && /^\d{1,3}$/.test(branch.trim()) ? Number(branch) : branch;
  const isAbsent = confidence === undefined || confidence === null;
  return {
    index: typeof index === 'number' ? index : -1,
    confidence: isAbsent ? 1 : typeof confidence === 'number' ? confidence : 0,
  };
}
