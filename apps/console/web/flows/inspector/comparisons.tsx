// Edits the comparisons of an edge: one, or several joined by “all” or “any”.
import { limits, type AuthoredEdge } from '@parley/flow-engine';
import type { Finding } from '../../engine/check.ts';
import { IconButton, buttonClass } from '../../ui/button.tsx';
import { opSpec } from '../tables.ts';
import { Comparison, operatorOf, type Compared } from './comparison.tsx';
import { FlagControl, INPUT, JsonControl, Problem } from '../controls/controls.tsx';
import { problemAt } from './findings-at.ts';

interface ComparisonsProps {
  readonly edge: AuthoredEdge;
  readonly path: string;
  readonly variables: readonly string[];
  readonly findings: readonly Finding[];
  readonly put: (patch: Readonly<Record<string, unknown>>, burst?: string) => void;
}

const JOINTS = ['all', 'any'] as const;
type Joint = (typeof JOINTS)[number];

const fresh: Compared = { variable: '', op: 'eq' };
const nothing = { variable: undefined, op: undefined, value: undefined };
const noLists = { all: undefined, any: undefined };

export function Comparisons({ edge, path, variables, findings, put }: ComparisonsProps) {
  const lists = JOINTS.filter((joint) => edge[joint] != null);
  const [joint] = lists;
  const hasOwn = edge.variable != null || edge.op != null;
  if (joint === undefined) {
    const { variable, op, value } = edge;
    return (
      <>
        <Comparison compared={edge} path={path} variables={variables} findings={findings} put={put} />
        <Add onAdd={() => put({ ...nothing, all: [patched({}, { variable, op, value }), fresh] })} />
        <CaseFlag edge={edge} compared={[edge]} put={put} />
      </>
    );
  }
  const entries = edge[joint];
  if (lists.length > 1 || hasOwn || !isList(entries))
    return (
      <>
        {lists.map((one) => (
          <JsonControl
            key={one}
            label={one}
            value={edge[one]}
            {...problemAt(findings, `${path}/${one}`)}
            onChange={(value) => put({ [one]: value }, one)}
          />
        ))}
      </>
    );
  return <Several joint={joint} entries={entries} edge={edge} {...{ path, variables, findings, put }} />;
}

const isList = (value: unknown): value is readonly Compared[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));

function Several({
  joint,
  entries,
  edge,
  path,
  variables,
  findings,
  put,
}: ComparisonsProps & { readonly joint: Joint; readonly entries: readonly Compared[] }) {
  const write = (next: readonly Compared[], burst?: string) => put({ [joint]: next }, burst);
  function remove(at: number) {
    const left = entries.toSpliced(at, 1);
    const [only] = left;
    if (left.length > 1 || only === undefined) write(left);
    else put({ ...noLists, ...nothing, ...only });
  }
  return (
    <>
      <select
        aria-label="Match"
        className={`${INPUT} h-7`}
        value={joint}
        onChange={(event) => put({ ...noLists, [event.target.value]: entries })}
      >
        <option value="all">All of these are true</option>
        <option value="any">Any of these is true</option>
      </select>
      {entries.map((entry, at) => (
        <div
          key={at}
          role="group"
          aria-label={`Comparison ${at + 1}`}
          className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-2.5 pt-1 pb-2.5"
        >
          <div className="flex items-center">
            <span className="text-xs font-medium text-ink-2">
              {at === 0 ? 'First' : joint === 'all' ? 'and' : 'or'}
            </span>
            <IconButton
              label={`Remove comparison ${at + 1}`}
              icon="close"
              className="ml-auto h-6! w-6!"
              onClick={() => remove(at)}
            />
          </div>
          <Comparison
            compared={entry}
            path={`${path}/${joint}/${at}`}
            variables={variables}
            findings={findings}
            put={(patch, burst) =>
              write(entries.with(at, patched(entry, patch)), burst && `${joint} ${at} ${burst}`)
            }
          />
          <Problem {...problemAt(findings, `${path}/${joint}/${at}`, { below: false })} />
        </div>
      ))}
      <Problem {...problemAt(findings, `${path}/${joint}`, { below: false })} />
      {entries.length < limits.conditionsMax && <Add onAdd={() => write([...entries, fresh])} />}
      <CaseFlag edge={edge} compared={entries} put={put} />
    </>
  );
}

function patched(entry: Compared, patch: Readonly<Record<string, unknown>>): Compared {
  return Object.fromEntries(
    Object.entries({ ...entry, ...patch }).filter(([, value]) => value !== undefined),
  );
}

const Add = ({ onAdd }: { readonly onAdd: () => void }) => (
  <button type="button" className={buttonClass('quiet', 'h-6! self-start px-1! text-xs')} onClick={onAdd}>
    Add comparison
  </button>
);

/** The flag belongs to the edge and applies to all its comparisons. */
function CaseFlag({
  edge,
  compared,
  put,
}: Pick<ComparisonsProps, 'edge' | 'put'> & { readonly compared: readonly Compared[] }) {
  if (compared.every((one) => opSpec(operatorOf(one))?.takes === 'none')) return null;
  return (
    <FlagControl
      label="Case-sensitive"
      value={edge.case_sensitive}
      onChange={(value) => put({ case_sensitive: value })}
    />
  );
}
