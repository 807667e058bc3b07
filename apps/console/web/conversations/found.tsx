// Excerpts of the transcript that match a search, with the matches marked.
import type { ReactNode } from 'react';
import type { SearchMatch } from './api.ts';
import { ROLE_LABELS } from './waterfall.tsx';

export function SearchMatches({ found }: { found: readonly SearchMatch[] }) {
  return (
    <ul aria-label="Matches" className="mt-0.5 flex flex-col gap-0.5 text-xs whitespace-normal">
      {found.map(({ index, role, text, marks }) => (
        <li key={index} className="break-words text-ink-2">
          {ROLE_LABELS[role]}: {renderMarked(text, marks)}
        </li>
      ))}
    </ul>
  );
}

/** Marks are UTF-16 offsets, as in JavaScript strings. */
function renderMarked(text: string, marks: SearchMatch['marks']): ReactNode[] {
  let end = 0;
  const parts: ReactNode[] = [];
  for (const [from = 0, to = from] of marks) {
    parts.push(
      text.slice(end, from),
      <mark key={from} className="rounded bg-accent-soft text-ink">
        {text.slice(from, to)}
      </mark>,
    );
    end = to;
  }
  return [...parts, text.slice(end)];
}
