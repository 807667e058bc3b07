// Tables: a head that stays, rows that lead somewhere. On a phone a table scrolls in its own box, the page does not.
import type { ComponentProps, ReactNode } from 'react';

export function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: readonly ReactNode[];
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
            {head.map((cell, index) => (
              <th key={index} scope="col" className="px-3 py-1.5 font-medium whitespace-nowrap">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  );
}

export function Row(props: ComponentProps<'tr'>) {
  return <tr className="hover:bg-surface-2" {...props} />;
}

export function Cell({ className = '', ...rest }: ComponentProps<'td'>) {
  return <td className={`px-3 py-1.5 align-top ${className}`} {...rest} />;
}

export const rowLink = 'font-medium text-accent underline-offset-2 hover:underline';
