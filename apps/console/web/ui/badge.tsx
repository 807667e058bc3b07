// A coloured label for a state. The text carries the meaning, the colour only supports it.
import type { ReactNode } from 'react';

const TONES = {
  neutral: 'bg-surface-3 text-ink-2',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
} as const;

export type Tone = keyof typeof TONES;

export function Badge({
  tone = 'neutral',
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={`inline-flex items-center rounded px-1.5 text-xs leading-5 font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

/** Of an object that a program declares by this id (docs/declare.md). */
export function DeclaredBadge({ id }: { id: string | null | undefined }) {
  if (!id) return null;
  return (
    <Badge title="The next request that declares it replaces changes that are made here">
      Declared as {id}
    </Badge>
  );
}
