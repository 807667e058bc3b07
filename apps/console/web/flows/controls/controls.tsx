// The form controls of the inspector. A focused control keeps the typed text and parses it on every
// keystroke.
import { useId, useState, type ReactNode } from 'react';
import { Words } from '../words.tsx';
import { kindOfValue, readChoices, readLines, readValue, showChoices, showValue } from './value.ts';

export const INPUT =
  'w-full min-w-0 rounded border border-line-strong/70 bg-surface px-2 text-sm text-ink hover:border-line-strong aria-invalid:border-bad';
const LINE = `${INPUT} h-7`;
const AREA = `${INPUT} field-sizing-content min-h-7 resize-none py-1 leading-snug`;

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly tone?: 'bad' | 'warn' | undefined;
  /** Next to the label. */
  readonly aside?: ReactNode;
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean;
  }) => ReactNode;
}

export function Field({ label, hint, problem, tone, aside, children }: FieldProps) {
  const id = useId();
  const below = problem ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <div className="flex items-baseline gap-2">
        <label htmlFor={id} className="text-xs font-medium text-ink-2">
          {label}
        </label>
        <span className="ml-auto text-xs text-ink-2">{aside}</span>
      </div>
      {children({
        id,
        'aria-describedby': below === undefined ? undefined : `${id}-below`,
        'aria-invalid': problem !== undefined && tone !== 'warn',
      })}
      <Problem id={`${id}-below`} hint={hint} problem={problem} tone={tone} />
    </div>
  );
}

/** Shows the problem of a field, or else its hint. */
export function Problem({
  id,
  hint,
  problem,
  tone = 'bad',
}: Pick<FieldProps, 'hint' | 'problem' | 'tone'> & { readonly id?: string }) {
  if (problem === undefined && hint === undefined) return null;
  const colour = problem === undefined ? 'text-ink-2' : tone === 'bad' ? 'text-bad' : 'text-warn';
  return (
    <span id={id} className={`block text-xs break-words ${colour}`}>
      <Words text={problem ?? hint ?? ''} />
    </span>
  );
}

export interface ControlProps<Value> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly aside?: ReactNode;
  readonly problem?: string | undefined;
  readonly tone?: 'bad' | 'warn' | undefined;
  readonly value: Value;
  /** `undefined` removes the member. */
  readonly onChange: (value: unknown) => void;
}

/** Keeps the typed text while a control is focused. */
function useTyped(shown: string) {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    text: typed ?? shown,
    type: setTyped,
    rest: { onFocus: () => setTyped(shown), onBlur: () => setTyped(null) },
  };
}

export function LineControl({
  value,
  onChange,
  options,
  list,
  placeholder,
  ...field
}: ControlProps<unknown> & {
  /** The possible values, with names where they differ. */
  readonly options?: readonly string[] | Readonly<Record<string, string>> | undefined;
  readonly list?: readonly string[] | undefined;
  readonly placeholder?: string | undefined;
}) {
  const id = useId();
  const text = typeof value === 'string' ? value : showValue(value);
  const pairs = isNames(options) ? options.map((name) => [name, name]) : Object.entries(options ?? {});
  return (
    <Field {...field}>
      {(ids) =>
        options === undefined ? (
          <>
            <input
              {...ids}
              className={LINE}
              autoComplete="off"
              spellCheck={false}
              placeholder={placeholder}
              list={list === undefined ? undefined : `${id}-list`}
              value={text}
              onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
            />
            {list !== undefined && (
              <datalist id={`${id}-list`}>
                {list.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            )}
          </>
        ) : (
          <select
            {...ids}
            className={LINE}
            value={text}
            onChange={(event) => onChange(event.target.value || undefined)}
          >
            {!pairs.some(([name]) => name === text) && (
              <option value={text}>{text === '' ? '–' : text}</option>
            )}
            {pairs.map(([name, shown]) => (
              <option key={name} value={name}>
                {shown}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}

const isNames = (options: unknown): options is readonly string[] => Array.isArray(options);

export function FlagControl({ label, hint, problem, tone, value, onChange }: ControlProps<unknown>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-3.5 accent-accent"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked ? true : undefined)}
      />
      <label htmlFor={id}>
        {label}
        <Problem hint={hint} problem={problem} tone={tone} />
      </label>
    </div>
  );
}

export function NumberControl({ value, onChange, ...field }: ControlProps<unknown>) {
  const { text, type, rest } = useTyped(showValue(value));
  return (
    <Field {...field}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          className={`${LINE} tabular-nums`}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          onChange={(event) => {
            type(event.target.value);
            onChange(event.target.value.trim() === '' ? undefined : readValue(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

/** Any JSON value in one line, with its type next to the label. */
export function ValueControl({ value, onChange, ...field }: ControlProps<unknown>) {
  const { text, type, rest } = useTyped(showValue(value));
  return (
    <Field {...field} aside={value === undefined ? undefined : kindOfValue(value)}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          className={LINE}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            type(event.target.value);
            onChange(event.target.value === '' ? undefined : readValue(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

export function WordsControl({ value, onChange, ...field }: ControlProps<unknown>) {
  const words = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  const isPlain = words.every((word) => typeof word === 'string' && !word.includes('\n'));
  const { text, type, rest } = useTyped(words.join('\n'));
  if (!isPlain) return <JsonControl {...field} value={value} onChange={onChange} />;
  return (
    <Field {...field}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          className={AREA}
          value={text}
          onChange={(event) => {
            type(event.target.value);
            onChange(readLines(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

export function ChoicesControl({ value, onChange, ...field }: ControlProps<unknown>) {
  const shown = showChoices(Array.isArray(value) ? value : []);
  const { text, type, rest } = useTyped(shown ?? '');
  if (shown === null) return <JsonControl {...field} value={value} onChange={onChange} />;
  return (
    <Field {...field}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          className={AREA}
          rows={3}
          value={text}
          onChange={(event) => {
            type(event.target.value);
            onChange(readChoices(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

export function JsonControl({ value, onChange, ...field }: ControlProps<unknown>) {
  const { text, type, rest } = useTyped(value === undefined ? '' : JSON.stringify(value, null, 2));
  const unread = problemOf(text);
  return (
    <Field {...field} problem={unread ?? field.problem} tone={unread === undefined ? field.tone : 'bad'}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          className={`${AREA} max-h-64 font-mono text-xs`}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            const typed = event.target.value;
            type(typed);
            if (typed.trim() === '') onChange(undefined);
            else if (problemOf(typed) === undefined) onChange(JSON.parse(typed));
          }}
        />
      )}
    </Field>
  );
}

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'This is not valid JSON. The last valid value stays.';
  }
}
