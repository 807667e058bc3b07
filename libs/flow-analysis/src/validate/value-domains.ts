// What a variable can hold when the edges of a node are tried, as far as the node itself determines
// it.
import { compileValue } from '@parley/flow-engine/compile/interpolate';
import { isCommand } from '@parley/flow-engine/define/commands';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { scalarText } from '@parley/answers/readings';
import { weekdays } from '@parley/flow-engine/define/engine-variables';
import type { Interruption } from './interruption.ts';
import type { Known } from './known-values.ts';
import { isWait, leavingStatuses, waitStatus } from './node-kinds.ts';
import type { Domain } from './value-cells.ts';
import { listAssignments } from './variable-uses.ts';
import type { PathReader } from './variable-paths.ts';

/** By status variable: its possible values at a node that follows a waiting one, or a command. */
export type PassingStatuses = ReadonlyMap<string, ReadonlySet<string>>;

export function passingStatuses(
  nodes: readonly NodeModel[],
  interruption: Interruption | null,
): PassingStatuses {
  return new Map(
    Object.entries(waitStatus).map(([kind, { variable }]) => {
      const waiting = nodes.filter(
        ({ waitsFor }) => (waitsFor === 'talk' ? 'tool_result' : waitsFor) === kind,
      );
      const called = interruption !== null && kind === 'user_input' ? ['command'] : [];
      return [variable, new Set([...waiting.flatMap(leavingStatuses), ...called])] as const;
    }),
  );
}

const textOrNone: Domain = { kind: 'text', missing: true };
const none: Domain = { kind: 'statuses', missing: true, statuses: new Set() };
const texts: Domain = { kind: 'text', missing: false };
const week: Domain = { kind: 'statuses', missing: false, statuses: new Set(weekdays) };

/**
 * The possible values of an engine variable. Only a turn that resumes at a waiting node tries its
 * edges.
 */
export function findDomain(
  variable: string,
  node: NodeModel,
  passing: PassingStatuses,
  readPath: PathReader,
  known: Known,
): Domain {
  // A command is tried on an utterance, before anything is captured.
  if (isCommand(node) && variable === 'user_input') return texts;
  if (isCommand(node) && (variable === '_attempts' || passing.has(variable))) return none;
  const statuses = passing.get(variable);
  if (statuses !== undefined) {
    if (node.waitsFor === null || node.waitsFor === 'talk')
      return { kind: 'statuses', missing: true, statuses };
    if (waitStatus[node.waitsFor].variable === variable)
      return { kind: 'statuses', missing: false, statuses: new Set(leavingStatuses(node)) };
    // A turn that skips a question may have begun at a node that waits for something else.
    return node.skips ? { kind: 'statuses', missing: true, statuses } : none;
  }
  switch (variable) {
    case 'user_input':
      return textOrNone;
    case '_attempts':
      if (isWait(node) && node.type !== 'collect') return none;
      return { kind: 'count', missing: node.type !== 'collect' };
    case '_tool_error':
    case '_handoff_reason':
      return textOrNone;
    case '_now':
    case '_today':
      return texts;
    case '_weekday':
      return week;
    default:
      return known.has(variable)
        ? domainOfConstant(known.get(variable))
        : domainAfterSet(variable, node, readPath);
  }
}

const domainOfConstant = (value: unknown): Domain =>
  value === undefined || value === null
    ? { kind: 'statuses', missing: true }
    : { kind: 'one', missing: false, value };

/**
 * The possible values of a variable when the edges are tried, by the last entry of `set` that may
 * have written it.
 */
function domainAfterSet(variable: string, node: NodeModel, readPath: PathReader): Domain {
  const anything = { kind: 'any', missing: true } as const;
  for (const { variable: written, op, operand } of listAssignments(node).toReversed()) {
    const path = readPath(written)?.path;
    if (path === undefined) continue;
    if (path !== variable) {
      if (path.startsWith(`${variable}.`) || variable.startsWith(`${path}.`)) return anything;
      continue;
    }
    if (!isKnown(operand) || op === 'clear' || op === 'remove') return anything;
    if (op === 'to' && scalarText(operand) !== null) return { kind: 'one', missing: false, value: operand };
    return { kind: 'any', missing: false };
  }
  return anything;
}

/** A placeholder may read a missing variable. */
const isKnown = (operand: unknown): boolean => operand !== null && compileValue(operand, null).constant;
