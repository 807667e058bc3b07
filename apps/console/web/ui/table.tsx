// Tables. A phone hides the `WIDE` columns; a table that is still too wide scrolls in its own box.
import type { ComponentProps, ReactNode } from 'react';

/** Class for the header and the cells of a column that phones hide. */
export const WIDE = 'hidden md:table-cell';

export type Head =
  | ReactNode
  | {
      readonly label: ReactNode;
      readonly className: string;
      readonly sorted?: 'ascending' | 'descending' | undefined;
    };

export function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: readonly Head[];
  children: ReactNode;
}) {
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line"
    >
      <table className="w-full border-collapse text-left text-sm">
        <thead className="bg-surface-2 text-xs text-ink-2">
          <tr>
            {head.map((cell, index) => {
              const { label, className, sorted } = isPlain(cell)
                ? { label: cell, className: '', sorted: undefined }
                : cell;
              return label === '' ? (
                <td key={index} className={className} />
              ) : (
                <th
                  key={index}
                  scope="col"
                  aria-sort={sorted}
                  className={`px-3 py-1.5 font-medium whitespace-nowrap ${className}`}
                >
                  {label}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}

const isPlain = (head: Head): head is ReactNode =>
  typeof head !== 'object' || head === null || !('label' in head);

export function Row(props: ComponentProps<'tr'>) {
  return <tr className="hover:bg-surface-2" {...props} />;
}

export function Cell({ className = '', ...rest }: ComponentProps<'td'>) {
  return <td className={`px-3 py-1.5 align-top ${className}`} {...rest} />;
}

export const rowLink = 'font-medium text-accent underline-offset-2 hover:underline';
