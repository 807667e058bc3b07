// A tool that is still running (docs/flow-language.md#waits): the node waits on, and what the
// caller says may call a command.
import type { CompiledNode } from '../compile/compiled.ts';
import type { AwaitingNode } from './caller-answer.ts';
import { followCommand } from './commands.ts';
import { toClassifyStep } from './model-steps.ts';
import { finish, waitAgain } from './outcomes.ts';
import { explainNotAsking, findMatchingExit, toChosenDeparture, toConditionDeparture } from './route.ts';
import type { Step } from './turn.ts';
import { spoken, type Walk } from './walk-state.ts';

export function keepWaiting(
  walk: Walk,
  node: AwaitingNode,
  proceed: (walk: Walk, next: CompiledNode) => Step,
): Step {
  const { commands } = walk.flow;
  if (commands === null || spoken(walk) === null || node.type !== 'tool')
    return finish(walk, node, 'waiting_for_tool');
  const tried = [commands.before, commands.after].map((exits) => ({ exits, scope: walk }));
  const called = findMatchingExit(commands.before, walk) ?? findMatchingExit(commands.after, walk);
  if (called !== null)
    return proceed(
      walk,
      followCommand(walk, node, walk.variables, { ...toConditionDeparture(called), tried }),
    );
  const { choices } = commands;
  if (choices.length === 0 || explainNotAsking(walk, node) !== null)
    return finish(walk, node, 'waiting_for_tool');
  return toClassifyStep(walk, node, choices, (resumed, decision) => {
    if (decision.exit === null)
      return waitAgain(resumed, node, { tried, asked: choices, decision }, 'waiting_for_tool');
    const departure = { ...toChosenDeparture(decision, decision.exit), tried, asked: choices };
    return proceed(resumed, followCommand(resumed, node, resumed.variables, departure));
  });
}
