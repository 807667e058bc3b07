// One turn of a conversation (docs/flow-language.md#walk): pure and synchronous. It never awaits and never throws: what a model has
// to say is asked for by a step with its own `resume`, and a turn that cannot be walked is a refusal value.
import { takeAgentOutcome } from './agent.ts';
import { extractQuestion, takeAnswer, takeExtraction } from './collect.ts';
import type { AutonomousNode, CollectNode, CompiledFlow, CompiledNode } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import {
  branchQuestion,
  defaultDeparture,
  depart,
  matchingExit,
  readClassification,
  takeExit,
  whyNotAsked,
} from './route.ts';
import { traceEnding } from './trace.ts';
import type { AgentSpec, Step, TurnInput, TurnOutcome, TurnStatus } from './turn.ts';
import { TurnTooCostly } from '../read/turn-budget.ts';
import { visit } from './visit.ts';
import { forkWalk, startWalk, type Walk } from './walk-state.ts';

/**
 * Advances a flow by one turn. A turn that resumes at a collect node takes the utterance as its answer; every other turn visits its
 * first node as if the walk had come there. The visit of the first and of the last node count.
 */
export function walkTurn(flow: CompiledFlow, turn: TurnInput): Step {
  // Not withinBudget: a closure would cost every turn.
  try {
    return beginTurn(flow, turn);
  } catch (error) {
    return refusalOf(error);
  }
}

/** As much of a walk as there is until the next question. What it may cost is counted where the work is done. */
function withinBudget(walk: () => Step): Step {
  try {
    return walk();
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): Step {
  if (!(error instanceof TurnTooCostly)) throw error;
  return done({ kind: 'turn_too_costly', cost: error.cost, max: error.max });
}

function beginTurn(flow: CompiledFlow, turn: TurnInput): Step {
  const wanted = turn.currentNode ?? null;
  const node = wanted === null ? flow.start : (flow.nodes.get(wanted) ?? null);
  if (node === null) return done({ kind: 'unknown_node', nodeId: wanted ?? flow.model.startId });
  const walk = startWalk(flow, turn);
  return wanted !== null && node.type === 'collect' ? resumeAt(walk, node) : walkFrom(walk, node);
}

function resumeAt(walk: Walk, node: CollectNode): Step {
  if (walk.stepsMax < 1) return didNotSettle(walk, node);
  walk.visited.push(node.id);
  const effect = takeAnswer(walk, node);
  if (effect === 'wait') return finish(walk, node, 'waiting');
  const { extraction } = node;
  if (effect === 'leave' || extraction === null) return walkOn(walk, node);
  return {
    kind: 'extract',
    question: extractQuestion(walk, node, extraction),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        takeExtraction(resumed, node, extraction, answer);
        return walkOn(resumed, node);
      }),
  };
}

/** Visits nodes until one ends the turn or a model has to be asked. Every round counts against stepsMax. */
function walkFrom(walk: Walk, first: CompiledNode): Step {
  let node = first;
  for (;;) {
    if (walk.visited.length >= walk.stepsMax) return didNotSettle(walk, node);
    walk.visited.push(node.id);
    const stop = visit(walk, node);
    if (typeof stop === 'string') return finish(walk, node, stop);
    if (stop !== null) return askAgent(walk, node as AutonomousNode, stop);
    const next = leave(walk, node);
    if ('kind' in next) return next;
    node = next;
  }
}

function walkOn(walk: Walk, from: CompiledNode): Step {
  const next = leave(walk, from);
  return 'kind' in next ? next : walkFrom(walk, next);
}

/** The next node by the routing order, or the step that ends or interrupts the walk. */
function leave(walk: Walk, node: CompiledNode): CompiledNode | Step {
  const { routes } = node;
  if (node.assign !== null) node.assign(walk);
  const exit = matchingExit(routes, walk);
  if (exit !== null) {
    if (walk.trace === null) takeExit(walk, exit);
    else depart(walk, node, { exit, decidedBy: 'deterministic', classifier: null });
    return exit.target;
  }
  if (routes.choices.length === 0)
    return depart(walk, node, defaultDeparture(routes, null)) ?? noRoute(walk, node);
  const outcome = whyNotAsked(walk, node);
  if (outcome === null) return askClassifier(walk, node);
  const departure = defaultDeparture(routes, { outcome, index: null, confidence: null });
  return depart(walk, node, departure) ?? noRoute(walk, node);
}

function askClassifier(walk: Walk, node: CompiledNode): Step {
  const { routes } = node;
  const confidenceMin = walk.turn.classifierConfidenceMin ?? limits.classifierConfidenceMin;
  return {
    kind: 'classify',
    question: branchQuestion(walk, node),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        resumed.asked.push(node.id);
        const { exit, ...classifier } = readClassification(answer, routes.choices, confidenceMin);
        const departure =
          exit === null
            ? defaultDeparture(routes, classifier)
            : { exit, decidedBy: 'classifier' as const, classifier };
        const next = depart(resumed, node, departure);
        return next === null ? noRoute(resumed, node) : walkFrom(resumed, next);
      }),
  };
}

function askAgent(walk: Walk, node: AutonomousNode, spec: AgentSpec): Step {
  return {
    kind: 'run_agent',
    spec,
    resume: (outcome) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        takeAgentOutcome(resumed, node, spec, outcome);
        return walkOn(resumed, node);
      }),
  };
}

function finish(walk: Walk, node: CompiledNode, status: Exclude<TurnStatus, 'no_route'>): Step {
  if (walk.trace !== null) traceEnding(walk, node, status);
  return settled(walk, node, status, status === 'waiting' ? node.id : null);
}

/** The caller may come back to the node with other variables, or another utterance. */
function noRoute(walk: Walk, node: CompiledNode): Step {
  return settled(walk, node, 'no_route', node.id);
}

function settled(walk: Walk, node: CompiledNode, status: TurnStatus, nextNode: string | null): Step {
  const { outputs, actions, variables, input, visited, taken, questions, trace } = walk;
  return done({
    kind: 'turn',
    status,
    nextNode,
    lastNode: node.id,
    outputs,
    actions,
    variables,
    input,
    steps: visited.length,
    visited,
    taken,
    questions,
    trace,
  });
}

function didNotSettle(walk: Walk, node: CompiledNode): Step {
  return done({ kind: 'turn_did_not_settle', stepsMax: walk.stepsMax, path: [...walk.visited, node.id] });
}

function done(result: TurnOutcome): Step {
  return { kind: 'done', result };
}
