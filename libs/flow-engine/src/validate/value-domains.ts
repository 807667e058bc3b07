// What a variable can hold when the edges out of a node are tried, as far as the node itself says it.
import { compileValue } from '../compile/interpolate.ts';
import { isCommand } from '../define/commands.ts';
import type { NodeModel } from '../define/model.ts';
import { scalarText } from '../read/readings.ts';
import type { Known } from './known-values.ts';
import { leavingStatuses } from './node-kinds.ts';
import type { Domain } from './value-cells.ts';
import { assignmentsOf, type PathReader } from './variable-uses.ts';

/** @param statuses what `_input_status` may be when the walk comes here; null at a collect node, which sets it. */
export function domainOf(
  variable: string,
  node: NodeModel,
  statuses: ReadonlySet<string> | null,
  readPath: PathReader,
  known: Known,
): Domain {
  const missing = statuses !== null;
  // A command is tried on something that was said, before anything came of it.
  if (isCommand(node) && variable === 'user_input') return { kind: 'text', missing: false };
  if (isCommand(node) && (variable === '_attempts' || variable === '_input_status'))
    return { kind: 'statuses', missing: true };
  if (variable === 'user_input') return { kind: 'text', missing: true };
  if (variable === '_attempts') return { kind: 'count', missing };
  if (known.has(variable)) return domainOfConstant(known.get(variable));
  if (variable !== '_input_status') return domainAfterSet(variable, node, readPath);
  return { kind: 'statuses', missing, statuses: statuses ?? new Set(leavingStatuses(node)) };
}

const domainOfConstant = (value: unknown): Domain =>
  value === undefined || value === null
    ? { kind: 'statuses', missing: true }
    : { kind: 'one', missing: false, value };

/** What a variable of the bag can hold when the edges are tried: the last entry of `set` that may have written it tells. */
function domainAfterSet(variable: string, node: NodeModel, readPath: PathReader): Domain {
  const anything = { kind: 'any', missing: true } as const;
  for (const { variable: written, op, operand } of assignmentsOf(node).toReversed()) {
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

/** A placeholder may read what is missing. */
const isKnown = (operand: unknown): boolean => operand !== null && compileValue(operand, null).constant;
