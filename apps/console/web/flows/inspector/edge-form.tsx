// One edge: when it is taken, and where it leads.
import { operators, type AuthoredEdge, type OperatorSpec } from '@parley/flow-engine';
import type { Finding } from '../../engine/check.ts';
import { Button } from '../../ui/button.tsx';
import { edgesFrom } from '../document/doc.ts';
import { moveEdge, removeAll, setEdge } from '../document/edits.ts';
import { change, select, useFlow } from '../document/flow-store.ts';
import { FindingList } from '../problems/finding-list.tsx';
import { WayHere } from '../tests/way-here.tsx';
import { engineVariables, opOf, opSpec, titled } from '../tables.ts';
import {
  Field,
  FlagControl,
  INPUT,
  JsonControl,
  LineControl,
  ValueControl,
  WordsControl,
} from './controls.tsx';
import { TemplateControl } from './template-control.tsx';
import { readValue, showValue } from './value.ts';

const ops: Readonly<Record<string, OperatorSpec>> = operators;

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
    ...{ variable: undefined, op: undefined, value: undefined, case_sensitive: undefined },
    ...{ all: undefined, any: undefined },
  };
}
const shown = new Set([
  ...['source', 'target', 'variable', 'op', 'value', 'nl', 'condition', 'label', 'default', 'case_sensitive'],
]);

interface EdgeFormProps {
  readonly edge: AuthoredEdge;
  readonly index: number;
  readonly variables: readonly string[];
  readonly findings: readonly Finding[];
}

export function EdgeForm({ edge, index, variables, findings }: EdgeFormProps) {
  const flow = useFlow((state) => state.doc.flow);
  const kind = kindOf(edge);
  /** Several comparisons, which are edited as JSON. */
  const isJoint = edge['all'] != null || edge['any'] != null;
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
      <FindingList findings={findings} />
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
      {kind === 'deterministic' && !isJoint && <Comparison edge={edge} variables={variables} put={put} />}
      {kind === 'nl' && (
        <LineControl
          label="What the caller means"
          hint="A classifier decides, and only among the edges of this node."
          value={edge.nl ?? edge.condition}
          onChange={(nl) => put({ nl: nl ?? '', condition: undefined }, 'nl')}
        />
      )}
      {kind === 'default' && (
        <p className="text-xs text-ink-2">Taken when no other edge of {edge.source} is.</p>
      )}
      <LineControl label="Label" value={edge.label} onChange={(label) => put({ label }, 'label')} />
      <LineControl
        label="Leads to"
        value={edge.target}
        options={ids}
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

interface ComparisonProps {
  readonly edge: AuthoredEdge;
  readonly variables: readonly string[];
  readonly put: (patch: Readonly<Record<string, unknown>>, burst?: string) => void;
}

function Comparison({ edge, variables, put }: ComparisonProps) {
  const op = edge.op == null ? (edge.value === undefined ? 'exists' : 'eq') : opOf(edge.op);
  const spec = opSpec(op);
  return (
    <>
      <LineControl
        label="Variable"
        value={edge.variable}
        list={[...engineVariables, ...variables]}
        onChange={(variable) => put({ variable: variable ?? '' }, 'variable')}
      />
      <Field label="Operator" hint={spec?.meaning ?? 'There is no such operator.'}>
        {(ids) => (
          <select
            {...ids}
            className={`${INPUT} h-7`}
            value={op ?? edge.op ?? ''}
            onChange={(event) => {
              const takes = opSpec(event.target.value)?.takes;
              put({ op: event.target.value, value: fitting(edge.value, takes) });
            }}
          >
            {op === null && <option>{edge.op}</option>}
            {Object.entries(ops).map(([name, { aliases }]) => (
              <option key={name} value={name}>
                {aliases[0] !== undefined && /^[<>=!]+$/.test(aliases[0]) ? `${name}  ${aliases[0]}` : name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Operand
        takes={spec?.takes ?? 'any'}
        value={edge.value}
        variables={variables}
        put={(value) => put({ value }, 'value')}
      />
      {spec?.takes !== 'none' && (
        <FlagControl
          label="Capital letters matter"
          value={edge.case_sensitive}
          onChange={(value) => put({ case_sensitive: value })}
        />
      )}
    </>
  );
}

/** The value under another operator: kept where it can be. */
function fitting(value: unknown, takes: string | undefined): unknown {
  if (takes === 'none') return undefined;
  if (takes === 'pair') return Array.isArray(value) && value.length === 2 ? value : [value ?? 0, value ?? 0];
  if (takes === 'list')
    return Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value];
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}

function Operand({
  takes,
  value,
  variables,
  put,
}: {
  readonly takes: OperatorSpec['takes'];
  readonly value: unknown;
  readonly variables: readonly string[];
  readonly put: (value: unknown) => void;
}) {
  if (takes === 'none') return null;
  if (takes === 'pair') {
    const [low, high] = Array.isArray(value) ? (value as unknown[]) : [];
    return (
      <div className="grid grid-cols-2 gap-2">
        <ValueControl label="From" value={low} onChange={(next) => put([next ?? '', high ?? ''])} />
        <ValueControl label="To" value={high} onChange={(next) => put([low ?? '', next ?? ''])} />
      </div>
    );
  }
  if (takes === 'list' && (Array.isArray(value) || value == null)) {
    const elements: unknown[] = value ?? [];
    return (
      <WordsControl
        label="Values"
        hint="One a line."
        value={elements.map(showValue)}
        onChange={(lines) => put((lines as string[]).map(readValue))}
      />
    );
  }
  if (takes === 'text' || takes === 'pattern')
    return takes === 'pattern' ? (
      <LineControl label="Pattern" hint="RE2 syntax." value={value} onChange={(next) => put(next ?? '')} />
    ) : (
      <TemplateControl
        label="Text"
        value={value}
        variables={variables}
        onChange={(next) => put(next ?? '')}
      />
    );
  return <ValueControl label="Value" value={value} onChange={(next) => put(next ?? '')} />;
}
