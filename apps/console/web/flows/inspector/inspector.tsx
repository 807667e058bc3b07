// The inspector of the selected nodes or edge, or of the flow.
import { useMemo } from 'react';
import { buttonClass } from '../../ui/button.tsx';
import { remove } from '../canvas/actions.ts';
import { duplicate } from '../document/clipboard.ts';
import { edgesOf, nodeById } from '../document/doc.ts';
import { useFlow } from '../document/flow-store.ts';
import type { Problems } from '../document/problems.ts';
import { variablesOf } from '../tables.ts';
import { EdgeForm } from './edge-form.tsx';
import { FlowForm } from './flow-form.tsx';
import { NodeForm } from './node-form.tsx';

export function Inspector({ problems, name }: { readonly problems: Problems; readonly name: string }) {
  const doc = useFlow((state) => state.doc);
  const { nodes, edge } = useFlow((state) => state.selection);
  const checked = useFlow((state) => state.checked);
  const variables = useMemo(
    () => [...new Set([...variablesOf(doc.flow), ...(checked?.requiredVariables ?? [])])].sort(),
    [doc.flow, checked],
  );
  const chosenEdge = edge === null ? undefined : edgesOf(doc.flow)[edge];
  if (edge !== null && chosenEdge !== undefined)
    return (
      <EdgeForm
        key={edge}
        edge={chosenEdge}
        index={edge}
        variables={variables}
        findings={problems.byEdge.get(edge) ?? []}
      />
    );
  if (nodes.length > 1)
    return (
      <div className="flex flex-col items-start gap-3">
        <p>{nodes.length} nodes selected.</p>
        <div className="flex gap-2">
          <button type="button" className={buttonClass()} onClick={duplicate}>
            Duplicate nodes
          </button>
          <button type="button" className={buttonClass('danger')} onClick={remove}>
            Remove nodes
          </button>
        </div>
        <p className="text-xs text-ink-2">Press Ctrl+C to copy them as JSON, also to another flow.</p>
      </div>
    );
  const node = nodes[0] === undefined ? undefined : nodeById(doc, nodes[0]);
  if (node === undefined) return <FlowForm checked={checked} name={name} />;
  return (
    <NodeForm
      key={node.id}
      node={node}
      path={`/nodes/${doc.flow.nodes.indexOf(node)}`}
      variables={variables}
      findings={problems.byNode.get(node.id) ?? []}
    />
  );
}
