// Filters of a list. They are URL parameters; changing one returns to the first page.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

const CONTROL = 'h-8 rounded-md border bg-surface px-2 text-sm';
/** Highlights a filter that is set. */
const borderClass = (value: string | undefined) =>
  value === undefined ? 'border-line-strong' : 'border-accent';

/** Sets URL parameters; undefined removes one. */
export function useFilter(): (change: Record<string, string | undefined>) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (was: object) => ({ ...was, ...change, cursor: undefined }),
      replace: true,
    } as never);
}

export function Filters({ label = 'Filters', children }: { label?: string; children: ReactNode }) {
  return (
    <div role="search" aria-label={label} className="flex flex-wrap items-center gap-2 max-sm:*:grow">
      {children}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, label: string])[];
}

export function ChoiceFilter({ name, label, value, options }: ChoiceProps) {
  const filter = useFilter();
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => filter({ [name]: event.target.value || undefined })}
      className={`${CONTROL} max-w-44 ${borderClass(value)} ${value === undefined ? 'text-ink-2' : 'font-medium'}`}
    >
      <option value="">{label}: all</option>
      {options.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Applied on Enter and on blur, not on every keystroke. */
export function TextFilter({
  name,
  label,
  value,
  wide = false,
}: {
  name: string;
  label: string;
  value: string | undefined;
  wide?: boolean;
}) {
  const filter = useFilter();
  const take = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get(name);
    filter({ [name]: typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined });
  };
  return (
    <form onSubmit={take} className={`relative ${wide ? 'w-64 md:w-auto md:min-w-48 md:flex-1' : 'w-36'}`}>
      <Icon name="search" className="absolute top-2 left-2 text-ink-2" />
      <input
        // Remounts when the URL changes, which discards unsaved input.
        key={value}
        name={name}
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        onBlur={(event) => event.target.value.trim() !== (value ?? '') && event.target.form?.requestSubmit()}
        className={`${CONTROL} w-full pl-7 ${borderClass(value)}`}
      />
    </form>
  );
}

/** Shows local time; the URL parameter is in UTC. */
export function TimeFilter({
  name,
  label,
  value,
}: {
  name: string;
  label: string;
  value: string | undefined;
}) {
  const filter = useFilter();
  const shown = toLocalTime(value);
  const take = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get(name);
    const date = typeof text === 'string' && text !== '' ? new Date(text) : undefined;
    filter({ [name]: date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined });
  };
  return (
    <form onSubmit={take}>
      <label className="flex items-center gap-1.5 text-ink-2">
        {label}
        <input
          key={value}
          type="datetime-local"
          name={name}
          defaultValue={shown}
          onBlur={(event) => event.target.value !== shown && event.target.form?.requestSubmit()}
          className={`${CONTROL} ${borderClass(value)}`}
        />
      </label>
    </form>
  );
}

/** A local date, as the URL parameter has it. */
export function DateFilter({
  name,
  label,
  value,
}: {
  name: string;
  label: string;
  value: string | undefined;
}) {
  const filter = useFilter();
  return (
    <label className="flex items-center gap-1.5 text-ink-2">
      {label}
      <input
        key={value}
        type="date"
        name={name}
        defaultValue={value}
        // Typed dates change with each key, so they count when the field is left.
        onBlur={({ target }) =>
          target.value !== (value ?? '') && filter({ [name]: target.value || undefined })
        }
        className={`${CONTROL} ${borderClass(value)}`}
      />
    </label>
  );
}

/** The value of a `datetime-local` input, to the minute. */
function toLocalTime(moment: string | undefined): string {
  const ms = Date.parse(moment ?? '');
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const PERIOD_SECONDS = { '1h': 3600, '24h': 86_400, '7d': 7 * 86_400, '30d': 30 * 86_400 } as const;
export type Period = keyof typeof PERIOD_SECONDS;
export const PERIODS = Object.keys(PERIOD_SECONDS) as [Period, ...Period[]];

/** Rounded down to a minute, so that requests within a minute share a cache entry. */
export function getPeriodStart(stretch: Period, nowMs: number): string {
  return new Date(Math.floor(nowMs / 60_000) * 60_000 - PERIOD_SECONDS[stretch] * 1000).toISOString();
}

export const PERIOD_OPTIONS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;
