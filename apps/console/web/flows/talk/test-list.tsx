// The stored tests of the flow, to play on the current draft.
import { useQuery } from '@tanstack/react-query';
import { testsQuery } from '../api.ts';
import { open } from './talk-store.ts';
import { toScript } from './to-test.ts';

export function TestList({ flowId }: { readonly flowId: string }) {
  const { data: tests } = useQuery(testsQuery(flowId));
  if (tests === undefined || tests.length === 0) return null;
  return (
    <section aria-label="Stored tests" className="flex w-full flex-col gap-1">
      <h2 className="text-xs font-medium text-ink-2">Play a stored test</h2>
      <ul className="-mx-3">
        {tests.map(({ name, test }) => (
          <li key={name}>
            <button
              type="button"
              className="flex w-full items-baseline gap-2 px-3 py-1 text-left hover:bg-surface-2"
              onClick={() => open(toScript(test, Date.now()), name)}
            >
              <span className="min-w-0 truncate font-mono text-xs">{name}</span>
              <span className="ml-auto text-xs whitespace-nowrap text-ink-2">
                {test.turns.length} {test.turns.length === 1 ? 'turn' : 'turns'}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
