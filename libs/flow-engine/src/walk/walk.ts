// One turn of a conversation (docs/flow-language.md#walk): pure and synchronous. It never awaits
// and never throws: a step with its own `resume` asks a model, and a turn that cannot be walked is
// a refusal value.
import { takeAgentOutcome } from './agent.ts';
import { setInterrupted } from './bookkeeping.ts';
import { answerMismatch, isAwaiting, takeCallerAnswer, type AwaitingNode } from './caller-answer.ts';
import {
  extractQuestion,
  isLastAttempt,
  readAnswer,
  takeExtraction,
  takeReading,
  type Reading,
} from './collect.ts';
import { asSaid, askAgain, comeTo, obey, takeInterrupted } from './commands.ts';
import type {
  AutonomousNode,
  ChoiceExit,
  CollectNode,
  Commands,
  CompiledFlow,
  CompiledNode,
} from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import type { CallerAnswer } from '../define/waits.ts';
import {
  branchQuestion,
  chosen,
  defaultDeparture,
  depart,
  deterministic,
  matchingExit,
  readClassification,
  takeExit,
  whyNotAsked,
  withoutExit,
  type Departure,
  type Told,
  type Tried,
} from './route.ts';
import { mayReadAgain, readerQuestion, readProposal } from './second-reader.ts';
import { traceEnding } from './trace.ts';
import type { AgentSpec, Step, TurnInput } from './turn.ts';
import { didNotSettle, done, finish, noRoute, refusalOf, settled, withinBudget } from './outcomes.ts';
import { visit } from './visit.ts';
import { forkWalk, spoken, startWalk, type Walk } from './walk-state.ts';

/**
 * Advances a flow by one turn. A turn that resumes at a collect node reads the utterance as its
 * answer. One that resumes at a node that waits for its caller takes the caller's answer. Every
 * other turn visits its first node as if the walk had arrived there. The first and the last visit
 * count.
 */
export function walkTurn(flow: CompiledFlow, turn: TurnInput): Step {
  // Not withinBudget: a closure would cost every turn.
  try {
    return beginTurn(flow, turn);
  } catch (error) {
    return refusalOf(error);
  }
}

function beginTurn(flow: CompiledFlow, turn: TurnInput): Step {
  const wanted = turn.currentNode ?? null;
  const node = wanted === null ? flow.start : (flow.nodes.get(wanted) ?? null);
  if (node === null) return done({ kind: 'unknown_node', nodeId: wanted ?? flow.model.startId });
  const walk = startWalk(flow, turn);
  // A new conversation has nothing to go back to, whatever variables it begins with.
  if (wanted === null && flow.commands !== null) setInterrupted(walk.variables, []);
  const resumed = wanted === null ? null : node;
  const mismatch = answerMismatch(walk, resumed);
  if (mismatch !== null) return done(mismatch);
  if (resumed === null) return walkFrom(walk, node);
  if (resumed.type === 'collect') return resumeAt(walk, resumed);
  return isAwaiting(resumed) ? resumeWith(walk, resumed, turn.answer!) : walkFrom(walk, node);
}

function resumeWith(walk: Walk, node: AwaitingNode, answer: CallerAnswer): Step {
  if (walk.stepsMax < 1) return didNotSettle(walk, node);
  walk.visited.push(node.id);
  takeCallerAnswer(walk, node, answer);
  return walkOn(walk, node);
}

function resumeAt(walk: Walk, node: CollectNode): Step {
  if (walk.stepsMax < 1) return didNotSettle(walk, node);
  walk.visited.push(node.id);
  const { commands } = walk.flow;
  if (commands !== null && spoken(walk) !== null) return hear(walk, node, commands);
  const reading = readAnswer(walk, node);
  return readAgain(walk, node, reading, (read, again) => take(read, node, again, null));
}

/**
 * Reads an answer where commands exist: they are tried on the utterance before anything is
 * captured.
 */
function hear(walk: Walk, node: CollectNode, commands: Commands): Step {
  const first = matchingExit(commands.before, walk);
  if (first !== null) {
    const tried = [{ exits: commands.before, scope: walk }];
    return walkFrom(walk, obey(walk, node, walk.variables, { ...deterministic(first), tried }));
  }
  return hearReading(walk, node, commands, readAnswer(walk, node));
}

function hearReading(walk: Walk, node: CollectNode, commands: Commands, reading: Reading): Step {
  if (reading.status === 'captured') {
    // The usual case: no command matches, so nothing needs to be undone. A trace shows the attempts
    // all the same.
    if (walk.trace === null && commands.choices.length === 0 && matchingExit(commands.after, walk) === null)
      return take(walk, node, reading, null);
    walk.unanswered = walk.variables;
    walk.variables = { ...walk.variables };
    return take(walk, node, reading, null);
  }
  // A copy: the trace is built after the failure was counted.
  const said = walk.trace === null ? walk : asSaid(walk, { ...walk.variables });
  const tried = [commands.before, commands.after].map((exits) => ({ exits, scope: said }));
  const called = matchingExit(commands.after, walk);
  if (called !== null)
    return walkFrom(walk, obey(walk, node, walk.variables, { ...deterministic(called), tried }));
  return readAgain(walk, node, reading, (read, again) =>
    again.status === 'captured'
      ? hearReading(read, node, commands, again)
      : hearFailure(read, node, commands, again, tried),
  );
}

/** An utterance that the cast refused, and that calls no command by comparison. */
function hearFailure(
  walk: Walk,
  node: CollectNode,
  commands: Commands,
  reading: Reading,
  tried: readonly Tried[],
): Step {
  if (commands.choices.length === 0) return take(walk, node, reading, { tried, asked: [], told: null });
  // If this failure is the last, the same question covers the edges of the node.
  const own = isLastAttempt(walk, node) ? node.routes.choices : [];
  const asked = [...own, ...commands.choices];
  const outcome = whyNotAsked(walk, node);
  if (outcome !== null) {
    const told = { outcome, index: null, confidence: null, exit: null };
    return take(walk, node, reading, { tried, asked, told });
  }
  return classify(walk, node, asked, (resumed, told) =>
    told.exit !== null && commands.choices.includes(told.exit)
      ? walkFrom(
          resumed,
          obey(resumed, node, resumed.variables, { ...chosen(told, told.exit), tried, asked }),
        )
      : take(resumed, node, reading, { tried, asked, told }),
  );
}

/**
 * Asks a model, if the cast refused and the node allows it (docs/flow-language.md#second-reader).
 */
function readAgain(
  walk: Walk,
  node: CollectNode,
  reading: Reading,
  goOn: (walk: Walk, reading: Reading) => Step,
): Step {
  if (!mayReadAgain(walk, node, reading)) return goOn(walk, reading);
  return {
    kind: 'extract',
    question: readerQuestion(walk, node),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        return goOn(resumed, readProposal(resumed, node, reading, answer));
      }),
  };
}

/** The result of the commands before a failure is recorded. */
interface Unheard {
  readonly tried: readonly Tried[];
  readonly asked: readonly ChoiceExit[];
  /** Null = the classifier was not asked. */
  readonly told: Told | null;
}

function take(walk: Walk, node: CollectNode, reading: Reading, unheard: Unheard | null): Step {
  const effect = takeReading(walk, node, reading);
  if (effect === 'wait') return waitAgain(walk, node, unheard);
  const { extraction } = node;
  if (effect === 'leave' || extraction === null) return walkOn(walk, node, unheard);
  return {
    kind: 'extract',
    question: extractQuestion(walk, node, extraction),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        takeExtraction(resumed, node, extraction, answer);
        return walkOn(resumed, node, null);
      }),
  };
}

function waitAgain(walk: Walk, node: CollectNode, unheard: Unheard | null): Step {
  if (unheard === null) return finish(walk, node, 'waiting');
  const { told, tried, asked } = unheard;
  const classifier = told && withoutExit(told);
  if (classifier !== null)
    walk.questions.push({ kind: 'classify', nodeId: node.id, outcome: classifier.outcome });
  if (walk.trace !== null)
    traceEnding(walk, node, 'waiting', { exit: null, decidedBy: null, classifier, tried, asked });
  return settled(walk, node, 'waiting', node.id);
}

/**
 * Visits nodes until one ends the turn or a model has to be asked. Every round counts against
 * stepsMax.
 */
function walkFrom(walk: Walk, first: CompiledNode): Step {
  const answered = walk.answering ? answerByCall(walk, first) : null;
  if (answered !== null) return answered;
  let node = first;
  for (;;) {
    if (walk.visited.length >= walk.stepsMax) return didNotSettle(walk, node);
    walk.visited.push(node.id);
    const stop = visit(walk, node);
    const interrupted = stop === 'completed' ? takeInterrupted(walk, node) : null;
    if (interrupted !== null) return goBack(walk, node, interrupted);
    if (typeof stop === 'string') return finish(walk, node, stop);
    if (stop !== null) return askAgent(walk, node as AutonomousNode, stop);
    const next = leave(walk, node);
    if (next.kind !== undefined) return next;
    node = next;
  }
}

/**
 * Answers the question that a command leads to with the words of the command; null = they do not
 * answer it, and the node asks.
 */
function answerByCall(walk: Walk, node: CompiledNode): Step | null {
  walk.answering = false;
  if (node.type !== 'collect' || walk.visited.length >= walk.stepsMax) return null;
  const reading = readAnswer(walk, node);
  if (reading.status !== 'captured') return null;
  walk.visited.push(node.id);
  comeTo(walk, node);
  walk.decider = 'cast';
  return take(walk, node, reading, null);
}

/** Returns to the interrupted question, which waits again. */
function goBack(walk: Walk, end: CompiledNode, question: CollectNode): Step {
  if (walk.trace !== null) traceEnding(walk, end, 'resumed');
  if (walk.visited.length >= walk.stepsMax) return didNotSettle(walk, question);
  askAgain(walk, question);
  return finish(walk, question, 'waiting');
}

function walkOn(walk: Walk, from: CompiledNode, unheard: Unheard | null = null): Step {
  const next = leave(walk, from, unheard);
  return next.kind !== undefined ? next : walkFrom(walk, next);
}

/** The next node by the routing order, or the step that ends or interrupts the walk. */
function leave(walk: Walk, node: CompiledNode, unheard: Unheard | null = null): CompiledNode | Step {
  const { routes } = node;
  if (node.assign !== null) node.assign(walk);
  if (walk.unanswered !== null && node.type === 'collect')
    return leaveUnlessCalled(walk, node, walk.flow.commands!, walk.unanswered);
  const exit = matchingExit(routes.deterministic, walk);
  const heard = unheard && {
    tried: [...unheard.tried, { exits: routes.deterministic, scope: walk }],
    asked: unheard.asked,
  };
  if (exit !== null) {
    if (walk.trace === null) takeExit(walk, exit);
    else depart(walk, node, { ...deterministic(exit), ...heard });
    return exit.target;
  }
  const told = unheard?.told ?? null;
  if (told !== null) return departAs(walk, node, told, heard);
  if (routes.choices.length === 0) {
    const departure = defaultDeparture(routes, null);
    return depart(walk, node, heard === null ? departure : { ...departure, ...heard }) ?? noRoute(walk, node);
  }
  return ask(walk, node, routes.choices, (resumed, answer) => departAs(resumed, node, answer, heard));
}

/**
 * Leaves an answered question. A matching command wins over the answer only after the question's
 * own conditions; then nothing counts as answered.
 */
function leaveUnlessCalled(
  walk: Walk,
  node: CollectNode,
  commands: Commands,
  unanswered: Walk['variables'],
): CompiledNode | Step {
  const { routes } = node;
  walk.unanswered = null;
  const said = asSaid(walk, unanswered);
  const own = { exits: routes.deterministic, scope: walk };
  const before = [{ exits: commands.before, scope: said }, own];
  const exit = matchingExit(routes.deterministic, walk);
  if (exit !== null) {
    if (walk.trace === null) takeExit(walk, exit);
    else depart(walk, node, { ...deterministic(exit), tried: before });
    return exit.target;
  }
  const tried = [...before, { exits: commands.after, scope: said }];
  const called = matchingExit(commands.after, said);
  if (called !== null) return obey(walk, node, unanswered, { ...deterministic(called), tried });
  const asked = [...routes.choices, ...commands.choices];
  if (asked.length === 0)
    return depart(walk, node, { ...defaultDeparture(routes, null), tried }) ?? noRoute(walk, node);
  return ask(walk, node, asked, (resumed, told) =>
    told.exit !== null && commands.choices.includes(told.exit)
      ? obey(resumed, node, unanswered, { ...chosen(told, told.exit), tried, asked })
      : departAs(resumed, node, told, { tried, asked }),
  );
}

/** By the classifier's choice, or by the default edge. */
function departAs(
  walk: Walk,
  node: CompiledNode,
  told: Told,
  heard: Pick<Departure, 'tried' | 'asked'> | null,
): CompiledNode | Step {
  const { exit } = told;
  const departure = exit === null ? defaultDeparture(node.routes, withoutExit(told)) : chosen(told, exit);
  return depart(walk, node, { ...departure, ...heard }) ?? noRoute(walk, node);
}

/** Asks the classifier, or returns at once why it may not. */
function ask(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
  goOn: (walk: Walk, told: Told) => CompiledNode | Step,
): CompiledNode | Step {
  const outcome = whyNotAsked(walk, node);
  if (outcome !== null) return goOn(walk, { outcome, index: null, confidence: null, exit: null });
  return classify(walk, node, choices, (resumed, told) => {
    const next = goOn(resumed, told);
    return next.kind !== undefined ? next : walkFrom(resumed, next);
  });
}

function classify(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
  goOn: (walk: Walk, told: Told) => Step,
): Step {
  const confidenceMin = walk.turn.classifierConfidenceMin ?? limits.classifierConfidenceMin;
  return {
    kind: 'classify',
    question: branchQuestion(walk, node, choices),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        resumed.asked.push(node.id);
        return goOn(resumed, readClassification(answer, choices, confidenceMin));
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
