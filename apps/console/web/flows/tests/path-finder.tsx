// Finds the shortest conversation to a node or an edge in the search worker, or says why there is
// none.
import { useState } from 'react';
import type { Reach, ReachTarget } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { sharedEngine } from '../../engine/client.ts';
import type { Searched } from '../../engine/searching.ts';
import { shownValue } from '../../engine/shown.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { revealEdge } from '../canvas/view.ts';
import { edgesOf } from '../document/doc.ts';
import { showPath, useFlow } from '../document/flow-store.ts';
import { showPanel } from '../page-state.ts';
import { open } from '../talk/talk-store.ts';
import { toScript } from '../talk/to-test.ts';
import { Conversation } from './conversation.tsx';

interface Looked {
  /** The flow of the result. */
  readonly flow: AuthoredFlow;
  readonly found: Searched<Reach> | null;
}

/** Pass the target as `key`, to reset the result. */
export function WayHere({ target }: { readonly target: ReachTarget }) {
  const flow = useFlow((state) => state.doc.flow);
  const [looked, setLooked] = useState<Looked | null>(null);
  const now = looked?.flow === flow ? looked : null;

  async function look() {
    setLooked({ flow, found: null });
    const found = await sharedEngine().reach(flow, target);
    setLooked({ flow, found });
    if (found.kind === 'found' && found.found.reached && useFlow.getState().doc.flow === flow)
      showPath([], found.found.edges);
  }

  if (now === null || now.found === null)
    return (
      <Button className="h-7! self-start px-2! text-xs" busy={now !== null} onClick={() => void look()}>
        Find path to here
      </Button>
    );
  return (
    <section
      aria-label="Path to here"
      aria-live="polite"
      className="flex flex-col gap-2 rounded-md border border-line bg-surface-2 px-2.5 py-2"
    >
      <Way searched={now.found} />
      <button
        type="button"
        className={buttonClass('quiet', 'h-6! self-start px-1.5! text-xs')}
        onClick={() => {
          setLooked(null);
          showPath([]);
        }}
      >
        Close
      </button>
    </section>
  );
}

function Way({ searched }: { readonly searched: Searched<Reach> }) {
  if (searched.kind !== 'found')
    return searched.kind === 'too_long' ? (
      <p>The flow is too large to search in the browser.</p>
    ) : (
      <p className="text-bad">The draft cannot run. Correct the errors in the Problems panel.</p>
    );
  const { found } = searched;
  if (!found.reached) return <Why reason={found.reason} witness={found.witness} />;
  const { test, edges } = found;
  const brought = Object.entries(test.variables ?? {});
  return (
    <>
      <p className="text-xs text-ink-2">
        The shortest conversation: {test.turns.length} {test.turns.length === 1 ? 'turn' : 'turns'}.
        {brought.length > 0 &&
          ` It starts with ${brought.map(([name, value]) => `${name} = ${shownValue(value)}`).join(', ')}.`}
      </p>
      <Conversation turns={test.turns} />
      <div className="flex gap-1.5">
        <Button
          kind="primary"
          className="h-7! px-2! text-xs"
          onClick={() => {
            open(toScript(test, Date.now()));
            showPanel('try');
          }}
        >
          Play conversation
        </Button>
        <Button className="h-7! px-2! text-xs" onClick={() => showPath([], edges)}>
          Show path
        </Button>
      </div>
    </>
  );
}

type Unreached = Extract<Reach, { readonly reached: false }>;

const WHY: Readonly<Record<Unreached['reason'], string>> = {
  proved_dead: 'No conversation gets here',
  needs_variable: 'Needs variables that no conversation sets',
  opaque: 'No path found, and no proof that there is none',
};

function Why({ reason, witness }: Pick<Unreached, 'reason' | 'witness'>) {
  const flow = useFlow((state) => state.doc.flow);
  const winning = (witness.edges ?? []).flatMap((index) => {
    const edge = edgesOf(flow)[index];
    return edge === undefined ? [] : [{ index, ...edge }];
  });
  return (
    <>
      <p className={reason === 'proved_dead' ? 'text-bad' : 'text-warn'}>
        {WHY[reason]}: {witness.message}.
      </p>
      {witness.variables !== undefined && (
        <ul className="font-mono text-xs">
          {Object.entries(witness.variables).map(([name, value]) => (
            <li key={name}>
              {name} = {value === null ? 'not set' : shownValue(value)}
            </li>
          ))}
        </ul>
      )}
      {winning.length > 0 && (
        <ul className="flex flex-col items-start">
          {winning.map(({ index, source, target }) => (
            <li key={index}>
              <button
                type="button"
                className="min-h-6 font-mono text-xs text-accent hover:underline"
                onClick={() => revealEdge(index, source)}
              >
                {source} → {target}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
