// Actions of keys, buttons and the mouse on the canvas. Each is one undo step.
import { edgesOf, nodeById, type Place } from '../document/doc.ts';
import { addNode, connect, placed, removeAll } from '../document/edits.ts';
import { change, connectFromNode, select, useFlow } from '../document/flow-store.ts';
import { arrangeFlow } from './arrange.ts';
import { focusNode, middle, revealNode, showAll } from './view.ts';

export function add(type: string, from: string | null, at: Place | null, port: string | null = null): void {
  const { doc } = useFlow.getState();
  const added = addNode(doc, type, at ?? (from === null ? middle() : null), from, port);
  change(() => added.doc, `Added ${added.id}${from === null ? '' : `, after ${from}`}`);
  requestAnimationFrame(() => revealNode(added.id, { focus: true }));
}

export function join(source: string, target: string, port: string | null = null): void {
  const before = edgesOf(useFlow.getState().doc.flow);
  change((doc) => connect(doc, source, target, port), `Connected ${source} to ${target}`);
  connectFromNode(null);
  useFlow.setState({ announced: `Connected ${source} to ${target}` });
  const made = edgesOf(useFlow.getState().doc.flow).findIndex((edge) => !before.includes(edge));
  select([], made === -1 ? null : made);
}

export function remove(): void {
  const { selection, doc } = useFlow.getState();
  const { nodes, edge } = selection;
  if (nodes.length === 0 && edge === null) return;
  const edges = edgesOf(doc.flow);
  const before = edges.find(({ target, source }) => target === nodes[0] && !nodes.includes(source))?.source;
  const next = edge === null ? before : edges[edge]?.source;
  change(
    (old) => removeAll(old, nodes, edge === null ? [] : [edge]),
    edge === null ? `Removed ${nodes.join(', ')}` : `Removed the edge from ${edges[edge]?.source}`,
  );
  const { doc: left } = useFlow.getState();
  if (next !== undefined && nodeById(left, next) !== undefined) {
    select([next]);
    focusNode(next);
  } else select([]);
}

export const selectAll = (): void => select(useFlow.getState().doc.flow.nodes.map(({ id }) => id));

export async function tidy(): Promise<void> {
  const { flow } = useFlow.getState().doc;
  const places = await arrangeFlow(flow);
  change((doc) => placed(doc, places), 'Arranged all nodes');
  requestAnimationFrame(showAll);
}
