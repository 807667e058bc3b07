// `set`: variables that are written when a node is left.
import { IconButton, buttonClass } from '../../ui/button.tsx';
import { INPUT, JsonControl, type ControlProps } from './controls.tsx';
import { readValue, showValue } from './value.ts';

/** What an entry can do beside naming its variable. One that is spelled otherwise is kept as it is. */
const OPS = ['to', 'add', 'append', 'remove', 'clear'];

type Entry = Readonly<Record<string, unknown>>;

const isEntry = (entry: unknown): entry is Entry =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry) && Object.keys(entry).length <= 2;

export function AssignmentsControl({
  label,
  hint,
  value,
  onChange,
  variables,
}: ControlProps<unknown> & {
  readonly variables: readonly string[];
}) {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  if (!entries.every(isEntry))
    return <JsonControl label={label} hint={hint} value={value} onChange={onChange} />;
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
          <div key={at} className="grid grid-cols-[1fr_5rem_1fr_1.75rem] gap-1">
            <input
              aria-label={`Variable ${at + 1}`}
              className={`${INPUT} h-7`}
              list="assigned-variables"
              autoComplete="off"
              value={name}
              onChange={(event) => put(at, { ...entry, variable: event.target.value })}
            />
            <select
              aria-label={`What happens to variable ${at + 1}`}
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
              {[...new Set([...OPS, op])].map((one) => (
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
        );
      })}
      <button
        type="button"
        className={buttonClass('quiet', 'h-6! justify-start! px-1! text-xs')}
        onClick={() => onChange([...entries, { variable: '', to: '' }])}
      >
        Add an entry
      </button>
      {hint !== undefined && <p className="text-xs text-ink-2">{hint}</p>}
    </fieldset>
  );
}
