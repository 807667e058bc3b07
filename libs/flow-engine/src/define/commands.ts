// Commands (docs/flow-language.md#commands): triggers that every question accepts, and ends that go
// back to the question. A member with a fault has no effect and validation reports it.
import { limits } from './limits.ts';
import type { EdgeModel, FlowModel, NodeModel } from './model.ts';

/** The value of `on` that makes a command of a trigger. */
export const anyTurn = 'any_turn';

export const priorities = ['after', 'before'] as const;
export type Priority = (typeof priorities)[number];

export const isCommand = ({ type, raw }: NodeModel): boolean => type === 'trigger' && raw['on'] === anyTurn;

/** Before or after the edges of the question itself. */
export const readPriority = ({ raw }: NodeModel): Priority =>
  raw['priority'] === 'before' ? 'before' : 'after';

/** An end that goes back to the question that a command interrupted. */
export const isResuming = ({ type, raw }: NodeModel): boolean => type === 'end' && raw['resume'] === true;

/** The words of the command also answer the question that it leads to. */
const answersQuestion = ({ raw }: NodeModel): boolean => raw['answers_question'] === true;

/**
 * The effective commands: of nodes that share an id the first, and the first `limits.commandsMax`
 * of them.
 */
export function listCommands(flow: Pick<FlowModel, 'nodesById'>): readonly NodeModel[] {
  const commands: NodeModel[] = [];
  for (const node of flow.nodesById.values())
    if (isCommand(node) && commands.length < limits.commandsMax) commands.push(node);
  return commands;
}

/**
 * The edges of commands, in the order in which the walk tries them, without those that have no
 * condition.
 */
export function listCommandEdges(
  flow: Pick<FlowModel, 'nodesById' | 'outgoing'>,
  priority: Priority,
): EdgeModel[] {
  return listCommands(flow)
    .filter((node) => readPriority(node) === priority)
    .flatMap(({ id }) => flow.outgoing.get(id) ?? [])
    .filter(({ kind }) => kind !== 'default');
}

/** The edges of commands whose words also answer the question that they lead to. */
export function listAnsweringEdges(flow: Pick<FlowModel, 'nodesById' | 'outgoing'>): EdgeModel[] {
  return priorities
    .flatMap((priority) => listCommandEdges(flow, priority))
    .filter(
      ({ source, target }) =>
        answersQuestion(flow.nodesById.get(source)!) && flow.nodesById.get(target)?.type === 'collect',
    );
}
