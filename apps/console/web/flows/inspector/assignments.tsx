// Edits `set`: the variables that a node writes when the walk leaves it.
import { definitionMembers } from '@parley/flow-analysis';
import type { Finding } from '../../engine/check.ts';
import { IconButton, buttonClass } from '../../ui/button.tsx';
import { plainWords } from '../words.tsx';
import { INPUT, JsonControl, Problem, type ControlProps } from '../controls/controls.tsx';
import { problemAt } from './findings-at.ts';
import { isPlain, readValue, showValue } from '../controls/value.ts';

/** The operations of an entry with their explanations, from the engine's schema. */
const OPS = opsOf(definitionMembers().node['set']?.schema);

function opsOf(schema: unknown): ReadonlyMap<string, string> {
  const { items } = schema as {
    readonly items: { readonly properties: Readonly<Record<string, { readonly description: string }>> };
  };
  const { variable: _variable, ...ops } = items.properties;
  return new Map(Object.entries(ops).map(([op, { description }]) => [op, plainWords(description)]));
}

type Entry = Readonly<Record<string, unknown>>;

const isEntry = (entry: unknown): entry is Entry =>
  typeof entry === 'object' &&
  entry !== null &&
  !Array.isArray(entry) &&
  Object.keys(entry).length <= 2 &&
  Object.values(entry).every(isPlain);

interface AssignmentsControlProps extends ControlProps<unknown> {
  readonly variables: readonly string[];
  readonly path: string;
  readonly findings: readonly Finding[];
}

export function AssignmentsControl({ variables, path, findings, ...given }: AssignmentsControlProps) {
  const { label, hint, value, onChange } = given;
  const entries: unknown[] = Array.isArray(value) ? value : [];
  if (!entries.every(isEntry)) return <JsonControl {...given} />;
  const put = (at: number, entry: Entry) => onChange(entries.with(at, entry));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-0.5 text-xs font-medium text-ink-2">{label}</legend>
      <datalist id="assigned-variables">
        {variables.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {entries.map((entry, at) => {
        const op = Object.keys(entry).find((name) => name !== 'variable') ?? 'to';
        const name = typeof entry['variable'] === 'string' ? entry['variable'] : '';
        return (
          <div key={at} className="flex flex-col gap-0.5">
            <div className="grid grid-cols-[1fr_5rem_1fr_1.75rem] gap-1">
              <input
                aria-label={`Variable ${at + 1}`}
                className={`${INPUT} h-7`}
                list="assigned-variables"
                autoComplete="off"
                value={name}
                onChange={(event) => put(at, { ...entry, variable: event.target.value })}
              />
              <select
                aria-label={`Operation ${at + 1}`}
                className={`${INPUT} h-7`}
                value={op}
                onChange={(event) =>
                  put(at, {
                    variable: name,
                    [event.target.value]:
                      event.target.value === 'clear' ? true : entry[op] === true ? '' : entry[op],
                  })
                }
              >
                {[...new Set([...OPS.keys(), op])].map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
              <input
                aria-label={`Value ${at + 1}`}
                className={`${INPUT} h-7 disabled:opacity-50`}
                autoComplete="off"
                disabled={op === 'clear'}
                value={showValue(entry[op])}
                onChange={(event) => put(at, { variable: name, [op]: readValue(event.target.value) })}
              />
              <IconButton
                label={`Remove entry ${at + 1}`}
                icon="close"
                className="h-7! w-7!"
                onClick={() => onChange(entries.toSpliced(at, 1))}
              />
            </div>
            <Problem hint={OPS.get(op)} {...problemAt(findings, `${path}/${at}`)} />
          </div>
        );
      })}
      <button
        type="button"
        className={buttonClass('quiet', 'h-6! justify-start! px-1! text-xs')}
        onClick={() => onChange([...entries, { variable: '', to: '' }])}
      >
        Add entry
      </button>
      <Problem hint={hint} {...problemAt(findings, path, { below: false })} />
    </fieldset>
  );
}
