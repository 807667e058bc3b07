// Compares a recorded turn with the same turn now, as a caller would notice it.
import { toJson } from '@parley/answers/readings';
import type { Bag } from '@parley/flow-engine/read/paths';
import { bookkeepingName } from '@parley/flow-engine/read/paths';
import { compareObjects, isSameJson } from '../diff/json-changes.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import type { NodeNow } from './same-nodes.ts';

export interface Difference {
  readonly what: 'messages' | 'next_node' | 'variables' | 'actions' | 'status';
  readonly before: unknown;
  readonly after: unknown;
}

/** A member that was too large to record is not compared. */
export function compareTurns(before: RecordedTurn, after: RecordedTurn, nodeNow: NodeNow): Difference[] {
  const differences: Difference[] = [];
  if (before.messages !== null) compare('messages', readTexts(before), readTexts(after), differences);
  if (before.actions !== null)
    compare(
      'actions',
      toComparableActions(before, nodeNow),
      toComparableActions(after, (id) => id),
      differences,
    );
  compare('status', before.status, after.status, differences);
  const next = before.next_node === null ? null : nodeNow(before.next_node);
  // If a node has no counterpart, its outputs show the difference.
  if (before.next_node === null || next !== null) compare('next_node', next, after.next_node, differences);
  if (isChangedAlike(before, after)) return differences;
  const [was, is] = [bagAfter(before), bagAfter(after)];
  if (was !== null && is !== null) differences.push(...compareVariables(was, is));
  return differences;
}

function compare(what: Difference['what'], was: unknown, is: unknown, differences: Difference[]): void {
  // The order of members does not matter: not every store of turns preserves it.
  if (!isSameJson(was, is) && toJson(was) !== toJson(is)) differences.push({ what, before: was, after: is });
}

/** The usual turn: the same variables came in, and the same changes came out. */
function isChangedAlike(before: RecordedTurn, after: RecordedTurn): boolean {
  return (
    before.variables_in === after.variables_in &&
    isSameJson(before.variables_set, after.variables_set) &&
    isSameJson(before.variables_cleared, after.variables_cleared)
  );
}

const readTexts = ({ messages }: RecordedTurn): unknown => messages?.map(({ text }) => text) ?? null;

/** Without the id of a call, which derives from the node's id: only the engine reads it. */
function toComparableActions({ actions }: RecordedTurn, nodeNow: NodeNow): unknown {
  return (
    actions?.map(({ node_id, call_id: _madeOfIt, ...action }) => ({
      ...action,
      node_id: typeof node_id === 'string' ? nodeNow(node_id) : null,
    })) ?? null
  );
}

/** The variables that a turn returned; null when they were not recorded. */
export function bagAfter({ variables_in, variables_set, variables_cleared }: RecordedTurn): Bag | null {
  if (variables_in === null || variables_set === null || variables_cleared === null) return null;
  const gone = new Set(variables_cleared);
  return Object.fromEntries(
    Object.entries({ ...variables_in, ...variables_set }).filter(([name]) => !gone.has(name)),
  );
}

/** The engine's own counters are no variables of the flow. */
const notVariables: ReadonlySet<string> = new Set([bookkeepingName]);

/** The variables that differ, with both values. */
function compareVariables(was: Bag, is: Bag): Difference[] {
  const changed = new Set(
    compareObjects(was, is, notVariables).map(({ path }) =>
      path.split('/')[1]!.replaceAll('~1', '/').replaceAll('~0', '~'),
    ),
  );
  if (changed.size === 0) return [];
  const of = (bag: Bag) => Object.fromEntries(Object.entries(bag).filter(([name]) => changed.has(name)));
  return [{ what: 'variables', before: of(was), after: of(is) }];
}
