// Edits the flow itself, when nothing is selected.
import type { Checked } from '../../engine/check.ts';
import { edgesOf } from '../document/doc.ts';
import { setFlow } from '../document/edits.ts';
import { change, useFlow } from '../document/flow-store.ts';
import { nameOf, titled } from '../tables.ts';
import { JsonControl, LineControl } from '../controls/controls.tsx';

const ELSEWHERE = new Set(['nodes', 'edges', 'name', 'start', 'language', 'flow_id']);

export function FlowForm({ checked, name }: { readonly checked: Checked | null; readonly name: string }) {
  const flow = useFlow((state) => state.doc.flow);
  const put = (member: string, value: unknown) =>
    change((doc) => setFlow(doc, { [member]: value }), `Changed ${member}`, `flow ${member}`);
  const stats = checked?.stats;
  const facts: [string, string][] = [
    ['Nodes', String(flow.nodes.length)],
    ['Edges', String(edgesOf(flow).length)],
    ...(stats == null
      ? []
      : ([
          ['Reachable', `${stats.reachable} of ${stats.nodes}`],
          ['Ends', String(stats.terminals)],
          [
            'Nodes per turn',
            stats.max_steps_per_turn === null ? 'unlimited' : `at most ${stats.max_steps_per_turn}`,
          ],
        ] as [string, string][])),
  ];
  return (
    <div className="flex flex-col gap-3">
      <LineControl
        label="Name"
        placeholder={name}
        value={flow.name}
        onChange={(value) => put('name', value)}
      />
      <div className="grid grid-cols-[1fr_7rem] gap-2">
        <LineControl
          label="Start node"
          value={flow.start ?? checked?.startId ?? ''}
          options={Object.fromEntries(flow.nodes.map((node) => [node.id, nameOf(node, node.id)]))}
          onChange={(value) => put('start', value)}
        />
        <LineControl
          label="Language"
          hint="BCP 47"
          value={flow['language']}
          onChange={(value) => put('language', value)}
        />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 rounded-md bg-surface-2 px-3 py-2">
        {facts.map(([name, fact]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="text-right tabular-nums">{fact}</dd>
          </div>
        ))}
      </dl>
      {(checked?.requiredVariables.length ?? 0) > 0 && (
        <p className="text-xs text-ink-2">
          Required variables:{' '}
          {checked?.requiredVariables.map((name) => (
            <code key={name} className="mr-1 rounded bg-surface-3 px-1 font-mono">
              {name}
            </code>
          ))}
        </p>
      )}
      {Object.keys(flow)
        .filter((member) => !ELSEWHERE.has(member))
        .map((member) => (
          <JsonControl
            key={member}
            label={titled(member)}
            value={flow[member]}
            onChange={(value) => put(member, value)}
          />
        ))}
    </div>
  );
}
