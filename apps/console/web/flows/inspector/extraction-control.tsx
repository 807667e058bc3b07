// Edits which values are extracted: a name, a type and a description each. A schema that says more
// is edited as JSON.
import { useState } from 'react';
import { IconButton, buttonClass } from '../../ui/button.tsx';
import { INPUT, JsonControl, Problem, type ControlProps } from '../controls/controls.tsx';

const TYPES = { string: 'Text', integer: 'Whole number', number: 'Number', boolean: 'Yes or no' } as const;
type Type = keyof typeof TYPES;

interface Row {
  readonly name: string;
  readonly type: Type;
  readonly description: string;
}

const LINE = `${INPUT} h-7`;

export function ExtractionControl(given: ControlProps<unknown>) {
  const { label, hint, value, onChange, problem, tone } = given;
  // Rows without a name, and two with the same one, exist only while the person types.
  const [typed, setTyped] = useState<readonly Row[] | null>(null);
  const read = readRows(value);
  if (read === null) return <JsonControl {...given} />;
  const rows = typed ?? read;
  const names = rows.map(({ name }) => name).filter(Boolean);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  function put(next: readonly Row[]) {
    setTyped(next);
    onChange(toSchema(next));
  }
  return (
    // Reset when the focus leaves the fieldset.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <fieldset
      className="flex min-w-0 flex-col gap-1.5"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setTyped(null);
      }}
    >
      <legend className="mb-0.5 text-xs font-medium text-ink-2">{label}</legend>
      {rows.map((row, at) => (
        <ValueRow
          key={at}
          row={row}
          at={at}
          onType={(next) => put(rows.with(at, next))}
          onRemove={() => put(rows.toSpliced(at, 1))}
        />
      ))}
      <button
        type="button"
        className={buttonClass('quiet', 'h-6! self-start px-1! text-xs')}
        onClick={() => setTyped([...rows, { name: '', type: 'string', description: '' }])}
      >
        Add value
      </button>
      <Problem
        hint={hint}
        problem={twice === undefined ? problem : `The name ${twice} is used twice. Only the last row counts.`}
        tone={tone}
      />
    </fieldset>
  );
}

interface ValueRowProps {
  readonly row: Row;
  readonly at: number;
  readonly onType: (row: Row) => void;
  readonly onRemove: () => void;
}

function ValueRow({ row, at, onType, onRemove }: ValueRowProps) {
  const { name, type, description } = row;
  const called = name === '' ? `value ${at + 1}` : name;
  return (
    <div className="grid grid-cols-[1fr_1fr_1.75rem] gap-1">
      <input
        aria-label={`Name of value ${at + 1}`}
        placeholder="Variable"
        className={`${LINE} font-mono text-xs`}
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={(event) => onType({ ...row, name: event.target.value })}
      />
      <select
        aria-label={`Type of ${called}`}
        className={LINE}
        value={type}
        onChange={(event) => onType({ ...row, type: event.target.value as Type })}
      >
        {Object.entries(TYPES).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
      <IconButton label={`Remove ${called}`} icon="close" className="h-7! w-7!" onClick={onRemove} />
      <input
        aria-label={`Description of ${called}`}
        placeholder="Description for the model"
        className={`${LINE} col-span-2`}
        autoComplete="off"
        value={description}
        onChange={(event) => onType({ ...row, description: event.target.value })}
      />
    </div>
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isType = (value: unknown): value is Type => typeof value === 'string' && Object.hasOwn(TYPES, value);
const hasOnly = (value: object, members: readonly string[]) =>
  Object.keys(value).every((member) => members.includes(member));

/** Null = the rows cannot show it. */
function readRows(schema: unknown): readonly Row[] | null {
  if (schema === undefined || schema === null) return [];
  if (!isObject(schema) || !hasOnly(schema, ['type', 'properties'])) return null;
  const { type, properties = {} } = schema;
  if ((type ?? 'object') !== 'object' || !isObject(properties)) return null;
  const rows = Object.entries(properties).map(([name, property]): Row | null => {
    if (!isObject(property) || !hasOnly(property, ['type', 'description'])) return null;
    const { type: read, description = '' } = property;
    return isType(read) && typeof description === 'string' ? { name, type: read, description } : null;
  });
  return rows.includes(null) ? null : (rows as readonly Row[]);
}

/** Undefined = the last value was removed. */
function toSchema(rows: readonly Row[]): object | undefined {
  if (rows.length === 0) return undefined;
  const named = rows.filter(({ name }) => name !== '');
  const properties = named.map(({ name, type, description }): readonly [string, object] => [
    name,
    description === '' ? { type } : { type, description },
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}
