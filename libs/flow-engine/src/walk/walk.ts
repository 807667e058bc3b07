// One turn of a conversation (docs/flow-language.md#walk): pure and synchronous. It never awaits
// and never throws: a step with its own `resume` asks a model, and a turn that cannot be walked is
// a refusal value.
import { setInterrupted } from './bookkeeping.ts';
import { findAnswerMismatch, isAwaiting, isTalk } from './caller-answer.ts';
import { isLastAttempt, readAnswer, recordReading, type Reading } from './collect.ts';
import {
  toCommandScope,
  askAgain,
  arriveAtQuestion,
  followCommand,
  takeInterrupted,
  type CommandDeparture,
} from './commands.ts';
import type {
  AutonomousNode,
  ChoiceExit,
  CollectNode,
  Commands,
  CompiledFlow,
  CompiledNode,
  ToolNode,
} from '../compile/compiled.ts';
import {
  depart,
  explainNotAsking,
  findMatchingExit,
  takeExit,
  toChosenDeparture,
  toConditionDeparture,
  toDefaultDeparture,
  type ClassifierDecision,
  type TriedExits,
} from './route.ts';
import { readAgain, toClassifyStep, toExtractStep } from './model-steps.ts';
import { resumeTalk, runAgent } from './talk.ts';
import { traceEnding } from './trace.ts';
import type { Step, TurnInput } from './turn.ts';
import {
  departByDecision,
  didNotSettle,
  done,
  finish,
  noRoute,
  toRefusal,
  waitAgain,
  type CommandAttempt,
} from './outcomes.ts';
import { resumeWithAnswer } from './resume-answer.ts';
import { visit } from './visit.ts';
import { spoken, startWalk, type Walk } from './walk-state.ts';

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
    return toRefusal(error);
  }
}

function beginTurn(flow: CompiledFlow, turn: TurnInput): Step {
  const wanted = turn.currentNode ?? null;
  const node = wanted === null ? flow.start : (flow.nodes.get(wanted) ?? null);
  if (node === null) return done({ kind: 'unknown_node', nodeId: wanted ?? flow.model.startId });
  const walk = startWalk(flow, turn);
  // A new conversation has nothing to go back to, even if its variables name one.
  if (wanted === null && flow.commands !== null) setInterrupted(walk.variables, []);
  const resumed = wanted === null ? null : node;
  const mismatch = findAnswerMismatch(walk, resumed);
  if (mismatch !== null) return done(mismatch);
  if (resumed === null) return walkFrom(walk, node);
  if (resumed.type === 'collect') return resumeAtQuestion(walk, resumed);
  if (isTalk(resumed)) return resumeTalk(walk, resumed, walkFrom);
  if (!isAwaiting(resumed)) return walkFrom(walk, node);
  if (walk.stepsMax < 1) return didNotSettle(walk, resumed);
  return resumeWithAnswer(walk, resumed, turn.answer!, { begin: beginTurn, walkFrom, walkOn });
}

function resumeAtQuestion(walk: Walk, node: CollectNode): Step {
  if (walk.stepsMax < 1) return didNotSettle(walk, node);
  walk.visited.push(node.id);
  const { commands } = walk.flow;
  if (commands !== null && spoken(walk) !== null) return receiveAnswer(walk, node, commands);
  const reading = readAnswer(walk, node);
  return readAgain(walk, node, reading, (read, again) => applyReading(read, node, again, null));
}

/** Reads an answer when there are commands: tries them before anything is captured. */
function receiveAnswer(walk: Walk, node: CollectNode, commands: Commands): Step {
  const first = findMatchingExit(commands.before, walk);
  if (first !== null) {
    const tried = [{ exits: commands.before, scope: walk }];
    return walkCommand(walk, node, { ...toConditionDeparture(first), tried });
  }
  return receiveReading(walk, node, commands, readAnswer(walk, node));
}

function receiveReading(walk: Walk, node: CollectNode, commands: Commands, reading: Reading): Step {
  if (reading.status === 'captured') {
    // The usual case: no command matches, so nothing needs to be undone. A trace shows the attempts
    // all the same.
    const hasChoices = commands.choices.length > 0;
    if (walk.trace === null && !hasChoices && findMatchingExit(commands.after, walk) === null)
      return applyReading(walk, node, reading, null);
    walk.unanswered = walk.variables;
    walk.variables = { ...walk.variables };
    return applyReading(walk, node, reading, null);
  }
  // A copy: the trace is built after the failure was counted.
  const said = walk.trace === null ? walk : toCommandScope(walk, { ...walk.variables });
  const tried = [commands.before, commands.after].map((exits) => ({ exits, scope: said }));
  const called = findMatchingExit(commands.after, walk);
  if (called !== null) return walkCommand(walk, node, { ...toConditionDeparture(called), tried });
  return readAgain(walk, node, reading, (read, again) =>
    again.status === 'captured'
      ? receiveReading(read, node, commands, again)
      : receiveFailure(read, node, commands, again, tried),
  );
}

/** An utterance that the cast refused, and that calls no command by comparison. */
function receiveFailure(
  walk: Walk,
  node: CollectNode,
  commands: Commands,
  reading: Reading,
  tried: readonly TriedExits[],
): Step {
  if (commands.choices.length === 0)
    return applyReading(walk, node, reading, { tried, asked: [], decision: null });
  // If this failure is the last, the same question covers the edges of the node.
  const own = isLastAttempt(walk, node) ? node.routes.choices : [];
  const asked = [...own, ...commands.choices];
  const outcome = explainNotAsking(walk, node);
  if (outcome !== null) {
    const decision = { outcome, index: null, confidence: null, exit: null };
    return applyReading(walk, node, reading, { tried, asked, decision });
  }
  return toClassifyStep(walk, node, asked, (resumed, decision) =>
    decision.exit !== null && commands.choices.includes(decision.exit)
      ? walkCommand(resumed, node, { ...toChosenDeparture(decision, decision.exit), tried, asked })
      : applyReading(resumed, node, reading, { tried, asked, decision }),
  );
}

function walkCommand(walk: Walk, node: CollectNode, departure: CommandDeparture): Step {
  return walkFrom(walk, followCommand(walk, node, walk.variables, departure));
}

function applyReading(walk: Walk, node: CollectNode, reading: Reading, attempt: CommandAttempt | null): Step {
  const effect = recordReading(walk, node, reading);
  if (effect === 'wait') return waitAgain(walk, node, attempt);
  if (effect === 'leave' || node.extraction === null) return walkOn(walk, node, attempt);
  return toExtractStep(walk, node, node.extraction, walkOn);
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
    if (interrupted !== null) return returnToQuestion(walk, node, interrupted);
    if (typeof stop === 'string') return finish(walk, node, stop);
    if (stop !== null) return runAgent(walk, node as AutonomousNode, stop, walkOn);
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
  arriveAtQuestion(walk, node);
  walk.decider = 'cast';
  return applyReading(walk, node, reading, null);
}

/** Returns to the interrupted question, which waits again. */
function returnToQuestion(walk: Walk, end: CompiledNode, question: CollectNode | ToolNode): Step {
  if (walk.trace !== null) traceEnding(walk, end, 'resumed');
  if (walk.visited.length >= walk.stepsMax) return didNotSettle(walk, question);
  askAgain(walk, question);
  return finish(walk, question, question.type === 'tool' ? 'waiting_for_tool' : 'waiting');
}

function walkOn(walk: Walk, from: CompiledNode, attempt: CommandAttempt | null = null): Step {
  const next = leave(walk, from, attempt);
  return next.kind !== undefined ? next : walkFrom(walk, next);
}

/** The next node by the routing order, or the step that ends or interrupts the walk. */
function leave(walk: Walk, node: CompiledNode, attempt: CommandAttempt | null = null): CompiledNode | Step {
  const { routes } = node;
  if (node.assign !== null) node.assign(walk);
  if (walk.unanswered !== null && node.type === 'collect')
    return leaveAnswered(walk, node, walk.flow.commands!, walk.unanswered);
  const exit = findMatchingExit(routes.deterministic, walk);
  const attempted = attempt && {
    tried: [...attempt.tried, { exits: routes.deterministic, scope: walk }],
    asked: attempt.asked,
  };
  if (exit !== null) {
    if (walk.trace === null) takeExit(walk, exit);
    else depart(walk, node, { ...toConditionDeparture(exit), ...attempted });
    return exit.target;
  }
  const decision = attempt?.decision ?? null;
  if (decision !== null) return departByDecision(walk, node, decision, attempted);
  if (routes.choices.length === 0) {
    const departure = toDefaultDeparture(routes, null);
    return (
      depart(walk, node, attempted === null ? departure : { ...departure, ...attempted }) ??
      noRoute(walk, node)
    );
  }
  return askClassifier(walk, node, routes.choices, (resumed, answer) =>
    departByDecision(resumed, node, answer, attempted),
  );
}

/**
 * Leaves an answered question. A matching command wins over the answer only after the question's
 * own conditions; then nothing counts as answered.
 */
function leaveAnswered(
  walk: Walk,
  node: CollectNode,
  commands: Commands,
  unanswered: Walk['variables'],
): CompiledNode | Step {
  const { routes } = node;
  walk.unanswered = null;
  const said = toCommandScope(walk, unanswered);
  const own = { exits: routes.deterministic, scope: walk };
  const before = [{ exits: commands.before, scope: said }, own];
  const exit = findMatchingExit(routes.deterministic, walk);
  if (exit !== null) {
    if (walk.trace === null) takeExit(walk, exit);
    else depart(walk, node, { ...toConditionDeparture(exit), tried: before });
    return exit.target;
  }
  const tried = [...before, { exits: commands.after, scope: said }];
  const called = findMatchingExit(commands.after, said);
  if (called !== null)
    return followCommand(walk, node, unanswered, { ...toConditionDeparture(called), tried });
  const asked = [...routes.choices, ...commands.choices];
  if (asked.length === 0)
    return depart(walk, node, { ...toDefaultDeparture(routes, null), tried }) ?? noRoute(walk, node);
  return askClassifier(walk, node, asked, (resumed, decision) =>
    decision.exit !== null && commands.choices.includes(decision.exit)
      ? followCommand(resumed, node, unanswered, {
          ...toChosenDeparture(decision, decision.exit),
          tried,
          asked,
        })
      : departByDecision(resumed, node, decision, { tried, asked }),
  );
}

/** Asks the classifier, or returns at once why it may not. */
function askClassifier(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
  proceed: (walk: Walk, decision: ClassifierDecision) => CompiledNode | Step,
): CompiledNode | Step {
  const outcome = explainNotAsking(walk, node);
  if (outcome !== null) return proceed(walk, { outcome, index: null, confidence: null, exit: null });
  return toClassifyStep(walk, node, choices, (resumed, decision) => {
    const next = proceed(resumed, decision);
    return next.kind !== undefined ? next : walkFrom(resumed, next);
  });
}
