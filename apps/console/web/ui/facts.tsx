// A list of names and values. Rows without a value are omitted.
import type { ReactNode } from 'react';

export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  const known = rows.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
  );
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
      {known.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-2">{name}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
