// One edge: when it is taken, and where it leads.
import type { AuthoredEdge } from '@parley/flow-engine';
import type { Finding } from '../../engine/check.ts';
import { Button } from '../../ui/button.tsx';
import { edgesFrom } from '../document/doc.ts';
import { moveEdge, removeAll, setEdge } from '../document/edits.ts';
import { change, select, useFlow } from '../document/flow-store.ts';
import { FindingList } from '../problems/finding-list.tsx';
import { titled } from '../tables.ts';
import { WayHere } from '../tests/way-here.tsx';
import { Comparisons } from './comparisons.tsx';
import { JsonControl, LineControl } from './controls.tsx';
import { elsewhere, problemAt } from './findings-at.ts';

type Kind = 'deterministic' | 'nl' | 'default';
const KINDS: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'deterministic', label: 'Compare' },
  { kind: 'nl', label: 'In words' },
  { kind: 'default', label: 'Else' },
];
/** What an edge of each kind begins with; the members of the other kinds go. */
const fresh: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  deterministic: {
    variable: '',
    op: 'eq',
    value: '',
    nl: undefined,
    condition: undefined,
    default: undefined,
  },
  nl: { nl: '', ...cleared(), default: undefined },
  default: { nl: undefined, condition: undefined, ...cleared() },
};
function cleared() {
  return {
    variable: undefined,
    op: undefined,
    value: undefined,
    case_sensitive: undefined,
    all: undefined,
    any: undefined,
  };
}
const shown = new Set([
  ...['source', 'target', 'variable', 'op', 'value', 'nl', 'condition', 'label', 'default', 'case_sensitive'],
  ...['all', 'any'],
]);
/** Where findings are shown at the field. */
const FIELDS = ['variable', 'op', 'value', 'all', 'any', 'nl', 'condition', 'label', 'target'];

interface EdgeFormProps {
  readonly edge: AuthoredEdge;
  readonly index: number;
  readonly variables: readonly string[];
  readonly findings: readonly Finding[];
}

export function EdgeForm({ edge, index, variables, findings }: EdgeFormProps) {
  const flow = useFlow((state) => state.doc.flow);
  const kind = kindOf(edge);
  const path = `/edges/${index}`;
  const siblings = edgesFrom(flow, edge.source);
  const ids = flow.nodes.map(({ id }) => id);
  const put = (patch: Readonly<Record<string, unknown>>, burst?: string) =>
    change((doc) => setEdge(doc, index, patch), 'Changed the edge', burst && `edge ${index} ${burst}`);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <button
          type="button"
          className="font-mono text-xs text-accent hover:underline"
          onClick={() => select([edge.source])}
        >
          {edge.source}
        </button>
        <span className="text-ink-2">→</span>
        <button
          type="button"
          className="font-mono text-xs text-accent hover:underline"
          onClick={() => select([edge.target])}
        >
          {edge.target}
        </button>
      </div>
      <FindingList
        findings={elsewhere(
          findings,
          FIELDS.map((member) => `${path}/${member}`),
        )}
      />
      <WayHere key={index} target={{ edgeIndex: index }} />
      <div role="group" aria-label="When it is taken" className="flex rounded-md border border-line p-0.5">
        {KINDS.map((one) => (
          <button
            key={one.kind}
            type="button"
            aria-pressed={kind === one.kind}
            className="h-6 flex-1 rounded text-ink-2 aria-pressed:bg-surface-3 aria-pressed:font-medium aria-pressed:text-ink"
            onClick={() => kind !== one.kind && put(fresh[one.kind])}
          >
            {one.label}
          </button>
        ))}
      </div>
      {kind === 'deterministic' && (
        <Comparisons edge={edge} path={path} variables={variables} findings={findings} put={put} />
      )}
      {kind === 'nl' && (
        <LineControl
          label="What the caller means"
          hint="A classifier decides, and only among the edges of this node."
          value={edge.nl ?? edge.condition}
          {...problemAt(findings, `${path}/${edge.nl == null ? 'condition' : 'nl'}`)}
          onChange={(nl) => put({ nl: nl ?? '', condition: undefined }, 'nl')}
        />
      )}
      {kind === 'default' && (
        <p className="text-xs text-ink-2">Taken when no other edge of {edge.source} is.</p>
      )}
      <LineControl
        label="Label"
        value={edge.label}
        {...problemAt(findings, `${path}/label`)}
        onChange={(label) => put({ label }, 'label')}
      />
      <LineControl
        label="Leads to"
        value={edge.target}
        options={ids}
        {...problemAt(findings, `${path}/target`)}
        onChange={(target) => put({ target: target ?? edge.target })}
      />
      {siblings.length > 1 && (
        <LineControl
          label="Tried as number"
          hint="Within its kind: comparisons first, then what is said in words, then else."
          value={String(siblings.indexOf(index) + 1)}
          options={siblings.map((_, place) => String(place + 1))}
          onChange={(place) => {
            const moved = moveEdge(useFlow.getState().doc, index, Number(place) - 1);
            change(() => moved.doc, `It is now tried as number ${String(place)}`);
            select([], moved.index);
          }}
        />
      )}
      {Object.keys(edge)
        .filter((member) => !shown.has(member))
        .map((member) => (
          <JsonControl
            key={member}
            label={titled(member)}
            value={edge[member]}
            onChange={(value) => put({ [member]: value }, member)}
          />
        ))}
      <Button
        kind="danger"
        className="self-start"
        onClick={() => {
          change((doc) => removeAll(doc, [], [index]), 'Removed the edge');
          select([edge.source]);
        }}
      >
        Remove the edge
      </Button>
    </div>
  );
}

/** What the author has begun to write, also where it is not finished. */
function kindOf(edge: AuthoredEdge): Kind {
  if (edge.default === true) return 'default';
  if (edge.variable != null || edge.op != null || edge['all'] != null || edge['any'] != null)
    return 'deterministic';
  return edge.nl != null || edge.condition != null ? 'nl' : 'default';
}
