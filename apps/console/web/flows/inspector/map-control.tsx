// Edits names with values: tool arguments, headers, call input; and texts under fixed names.
import { useState, type FocusEvent } from 'react';
import { IconButton, buttonClass } from '../../ui/button.tsx';
import { INPUT, JsonControl, Problem, type ControlProps } from '../controls/controls.tsx';
import { TemplateControl } from './template-control.tsx';
import { isPlain, readValue, showValue } from '../controls/value.ts';

type Members = Readonly<Record<string, unknown>>;
type Row = readonly [name: string, value: unknown];

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function MapControl({
  nameLabel = 'Name',
  ...given
}: ControlProps<unknown> & { readonly nameLabel?: string }) {
  const { label, hint, value, onChange, problem, tone } = given;
  // Keeps the typed rows during editing, because two may have the same name for a moment.
  const [typed, setTyped] = useState<readonly Row[] | null>(null);
  const members = value ?? {};
  if (!isMembers(members) || !Object.values(members).every(isPlain)) return <JsonControl {...given} />;
  const rows = typed ?? Object.entries(members);
  const names = rows.map(([name]) => name).filter(Boolean);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  function put(next: readonly Row[]) {
    setTyped(next);
    onChange(Object.fromEntries(next.filter(([name]) => name !== '')));
  }
  return (
    // Reset when the focus leaves the fieldset.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <fieldset
      className="flex min-w-0 flex-col gap-1"
      onBlur={({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) setTyped(null);
      }}
    >
      <legend className="mb-0.5 text-xs font-medium text-ink-2">{label}</legend>
      {rows.map(([name, held], at) => (
        <div key={at} className="grid grid-cols-[1fr_1.5fr_1.75rem] gap-1">
          <input
            aria-label={`${nameLabel} ${at + 1}`}
            className={`${INPUT} h-7 font-mono text-xs`}
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => put(rows.with(at, [event.target.value, held]))}
          />
          <TypedValue
            key={typed === null ? 'shown' : 'typed'}
            label={`Value ${at + 1}`}
            value={held}
            onType={(next) => put(rows.with(at, [name, next]))}
          />
          <IconButton
            label={`Remove ${name === '' ? `row ${at + 1}` : name}`}
            icon="close"
            className="h-7! w-7!"
            onClick={() => put(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <button
        type="button"
        className={buttonClass('quiet', 'h-6! self-start px-1! text-xs')}
        onClick={() => setTyped([...rows, ['', '']])}
      >
        Add row
      </button>
      <Problem
        hint={hint}
        problem={twice === undefined ? problem : `The name ${twice} is used twice. Only the last row counts.`}
        tone={tone}
      />
    </fieldset>
  );
}

/** Keeps the typed text, for example "1." on the way to a number. */
function TypedValue({
  label,
  value,
  onType,
}: {
  readonly label: string;
  readonly value: unknown;
  readonly onType: (value: unknown) => void;
}) {
  const [text, setText] = useState<string | null>(null);
  return (
    <input
      aria-label={label}
      className={`${INPUT} h-7`}
      autoComplete="off"
      value={text ?? showValue(value)}
      onChange={(event) => {
        setText(event.target.value);
        onType(readValue(event.target.value));
      }}
      onBlur={() => setText(null)}
    />
  );
}

/** One text per fixed name, for example per reason why an answer fails. */
export function TextsControl({
  names,
  variables,
  ...given
}: ControlProps<unknown> & { readonly names: readonly string[]; readonly variables: readonly string[] }) {
  const { label, hint, value, onChange, problem, tone } = given;
  const texts = value ?? {};
  if (!isMembers(texts)) return <JsonControl {...given} />;
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-0.5 text-xs font-medium text-ink-2">{label}</legend>
      {names.map((name) => (
        <TemplateControl
          key={name}
          label={name}
          value={texts[name]}
          variables={variables}
          onChange={(text) => {
            const { [name]: _old, ...others } = texts;
            onChange(text === undefined ? others : { ...others, [name]: text });
          }}
        />
      ))}
      <Problem hint={hint} problem={problem} tone={tone} />
    </fieldset>
  );
}
