// The variables before and after a turn, changed ones first.
import type { Bag } from '@parley/flow-engine';
import { shownValue } from '../../engine/shown.ts';

/** The engine's own counters. */
const ENGINE_MEMBER = '_flow';

export function Variables({ before, after }: { readonly before: Bag; readonly after: Bag }) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== ENGINE_MEMBER,
  );
  if (names.length === 0) return <p className="text-xs text-ink-2">No variables yet.</p>;
  const shown = names.map((name) => ({
    name,
    old: name in before ? shownValue(before[name]) : null,
    now: name in after ? shownValue(after[name]) : null,
  }));
  shown.sort((a, b) => Number(b.old !== b.now) - Number(a.old !== a.now));
  return (
    <table className="w-full text-left text-xs">
      <thead className="sr-only">
        <tr>
          <th scope="col">Variable</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ name, old, now }) => (
          <tr key={name} className={old === now ? 'text-ink-2' : ''}>
            <td className="pr-3 align-top font-mono">{name}</td>
            <td className="font-mono break-all">
              {old !== now && old !== null && <del className="mr-1.5 text-bad">{old}</del>}
              {old !== now && now !== null ? <ins className="text-good no-underline">{now}</ins> : now}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
