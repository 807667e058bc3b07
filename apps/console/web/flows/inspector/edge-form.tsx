// Edits one edge: its condition and its target.
import type { AuthoredEdge } from '@parley/flow-engine';
import type { Finding } from '../../engine/check.ts';
import { Button } from '../../ui/button.tsx';
import { edgesFrom } from '../document/doc.ts';
import { moveEdge, removeAll, setEdge } from '../document/edits.ts';
import { change, select, useFlow } from '../document/flow-store.ts';
import { FindingList } from '../problems/finding-list.tsx';
import { nameOf, titled } from '../tables.ts';
import { WayHere } from '../tests/path-finder.tsx';
import { Comparisons } from './comparisons.tsx';
import { JsonControl, LineControl, WordsControl } from '../controls/controls.tsx';
import { Confusion } from './confusion.tsx';
import { elsewhere, problemAt } from './findings-at.ts';

type Kind = 'deterministic' | 'nl' | 'default';
const KINDS: readonly { readonly kind: Kind; readonly label: string }[] = [
  { kind: 'deterministic', label: 'Compare' },
  { kind: 'nl', label: 'Ask the model' },
  { kind: 'default', label: 'Otherwise' },
];
/** Initial members of each kind. Members of other kinds are removed. */
const fresh: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  // No value yet: an empty one would pass as a comparison with the empty text.
  deterministic: { variable: '', op: 'eq', ...unworded(), default: undefined },
  nl: { nl: '', ...cleared(), default: undefined },
  default: { ...unworded(), ...cleared() },
};
function unworded() {
  return { nl: undefined, condition: undefined, examples: undefined, counter_examples: undefined };
}
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
  ...['all', 'any', 'examples', 'counter_examples'],
]);
/** Members whose findings are shown at their field. */
const FIELDS = ['variable', 'op', 'value', 'all', 'any', 'nl', 'condition', 'label', 'target'];
/** Members in natural language: one text a line. */
const SAID = [
  [
    'examples',
    'Examples',
    'What callers say who mean this edge, one a line. Five or more decide without a model.',
  ],
  ['counter_examples', 'Counter-examples', 'What callers say who do not mean it, one a line.'],
] as const;

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
  const names = Object.fromEntries(flow.nodes.map((node) => [node.id, nameOf(node, node.id)]));
  const named = (id: string) => names[id] ?? id;
  const put = (patch: Readonly<Record<string, unknown>>, burst?: string) =>
    change((doc) => setEdge(doc, index, patch), 'Changed the edge', burst && `edge ${index} ${burst}`);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <button
          type="button"
          title={edge.source}
          className="min-w-0 truncate text-accent hover:underline"
          onClick={() => select([edge.source])}
        >
          {named(edge.source)}
        </button>
        <span className="text-ink-2">→</span>
        <button
          type="button"
          title={edge.target}
          className="min-w-0 truncate text-accent hover:underline"
          onClick={() => select([edge.target])}
        >
          {named(edge.target)}
        </button>
      </div>
      <FindingList
        findings={elsewhere(
          findings,
          FIELDS.map((member) => `${path}/${member}`),
        )}
      />
      <WayHere key={index} target={{ edgeIndex: index }} />
      <div role="group" aria-label="Condition" className="flex rounded-md border border-line p-0.5">
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
        <>
          <LineControl
            label="Condition"
            hint="Examples decide, or a model, which can choose only among the edges of this node."
            value={edge.nl ?? edge.condition}
            {...problemAt(findings, `${path}/${edge.nl == null ? 'condition' : 'nl'}`)}
            onChange={(nl) => put({ nl: nl ?? '', condition: undefined }, 'nl')}
          />
          {SAID.map(([member, label, hint]) => (
            <WordsControl
              key={member}
              label={label}
              hint={hint}
              value={edge[member]}
              {...problemAt(findings, `${path}/${member}`)}
              onChange={(texts) => put({ [member]: texts }, member)}
            />
          ))}
          <Confusion source={edge.source} edge={index} />
        </>
      )}
      {kind === 'default' && (
        <p className="text-xs text-ink-2">Taken when no other edge of “{named(edge.source)}” matches.</p>
      )}
      <LineControl
        label="Label"
        value={edge.label}
        {...problemAt(findings, `${path}/label`)}
        onChange={(label) => put({ label }, 'label')}
      />
      <LineControl
        label="Target"
        value={edge.target}
        options={names}
        {...problemAt(findings, `${path}/target`)}
        onChange={(target) => put({ target: target ?? edge.target })}
      />
      {siblings.length > 1 && (
        <LineControl
          label="Position"
          hint="The order within its kind. Comparisons come first, then those for the model, then “Otherwise”."
          value={String(siblings.indexOf(index) + 1)}
          options={siblings.map((_, place) => String(place + 1))}
          onChange={(place) => {
            const moved = moveEdge(useFlow.getState().doc, index, Number(place) - 1);
            change(() => moved.doc, `Moved to position ${String(place)}`);
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
        Remove edge
      </Button>
    </div>
  );
}

/** The kind that the author started, even when incomplete. */
function kindOf(edge: AuthoredEdge): Kind {
  if (edge.default === true) return 'default';
  if (edge.variable != null || edge.op != null || edge['all'] != null || edge['any'] != null)
    return 'deterministic';
  return edge.nl != null || edge.condition != null ? 'nl' : 'default';
}
