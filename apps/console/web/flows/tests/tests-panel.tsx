// Results and coverage of the stored tests, generated tests for uncovered edges, and edges that
// cannot be covered.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ConversationTest } from '@parley/flow-analysis';
import type { Explored, TestResult } from '../../engine/explore.ts';
import { shownValue } from '../../engine/shown.ts';
import { May } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Button, IconButton, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { deleteTest, saveGenerated, testsQuery, type StoredTest } from '../api.ts';
import { isDirty, useFlow } from '../document/flow-store.ts';
import { showPanel } from '../page-state.ts';
import { open } from '../talk/talk-store.ts';
import { toScript } from '../talk/to-test.ts';
import { Conversation } from './conversation.tsx';
import { countsOf, coverageTold, coverOf } from './covered.ts';
import { exploredOf, useExplored } from './explored.ts';
import { Ring } from './ring.tsx';
import { EdgeName, Left, Part, reveal } from './uncovered.tsx';

export function TestsPanel({ flowId }: { readonly flowId: string }) {
  const tests = useQuery(testsQuery(flowId));
  const explored = useExplored(exploredOf);
  const kind = useExplored(({ searched }) => searched?.kind);
  if (tests.error !== null) return <Problem error={tests.error} onRetry={() => void tests.refetch()} />;
  if (kind === 'too_long')
    return (
      <p className="text-ink-2">
        The flow is too large to run its tests in the browser. Publishing runs them.
      </p>
    );
  if (kind === 'no_flow')
    return <p className="text-bad">The draft cannot run. Correct the errors in the Problems panel.</p>;
  if (tests.data === undefined || explored === null) return <Loading subject="the tests" />;
  return <Found flowId={flowId} tests={tests.data} explored={explored} />;
}

interface FoundProps {
  readonly flowId: string;
  readonly tests: readonly StoredTest[];
  readonly explored: Explored;
}

function Found({ flowId, tests, explored }: FoundProps) {
  const covers = useMemo(() => coverOf(explored), [explored]);
  const counts = countsOf(covers);
  const failed = explored.results.filter(({ failures }) => failures.length > 0).length;
  const fresh = explored.generated.filter(({ edges }) => edges.some((edge) => covers[edge] === 'takeable'));
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center gap-3">
        <Ring counts={counts} size={40} />
        <p>{coverageTold(counts)}</p>
      </div>
      <Part
        title="Stored tests"
        aside={
          explored.results.length === 0 ? null : (
            <span className={failed > 0 ? 'text-bad' : 'text-good'}>
              {failed > 0 ? `${failed} of ${explored.results.length} fail` : 'all pass'}
            </span>
          )
        }
      >
        {tests.length === 0 && (
          <p className="text-ink-2">No tests yet. Save a conversation in “Try it” as a test.</p>
        )}
        <ul className="-mx-3">
          {tests.map((test) => (
            <Stored
              key={test.name}
              flowId={flowId}
              stored={test}
              result={explored.results.find(({ name }) => name === test.name)}
            />
          ))}
        </ul>
      </Part>
      <Generated flowId={flowId} fresh={fresh} all={explored.generated.length} />
      <Left uncovered={explored.uncovered} />
    </div>
  );
}

const SMALL = buttonClass('quiet', 'h-6! px-1.5! text-xs');
const ROW = 'group flex items-start gap-1.5 px-3 py-1 hover:bg-surface-2';

function play(test: ConversationTest, name: string | null): void {
  open(toScript(test, Date.now()), name);
  showPanel('try');
}

function Stored({
  flowId,
  stored: { name, test },
  result,
}: {
  readonly flowId: string;
  readonly stored: StoredTest;
  readonly result: TestResult | undefined;
}) {
  const [asks, setAsks] = useState(false);
  const remove = useAction(() => deleteTest(flowId, name), {
    says: `Removed test ${name}`,
    reloads: [['flow', flowId, 'tests']],
  });
  const failure = result?.failures[0];
  return (
    <li className={ROW}>
      <span
        role="img"
        aria-label={result === undefined ? 'not run yet' : failure === undefined ? 'passes' : 'fails'}
        className={`w-3 text-xs leading-5 ${failure === undefined ? 'text-good' : 'text-bad'}`}
      >
        {result === undefined ? '…' : failure === undefined ? '✓' : '✗'}
      </span>
      <button
        type="button"
        className="min-w-0 flex-1 text-left"
        aria-label={`Play test ${name}`}
        onClick={() => play(test, name)}
      >
        <span className="block truncate font-mono text-xs leading-5">{name}</span>
        {failure !== undefined && (
          <span className="block text-xs break-words text-ink-2">
            {failure.path}: expected {shownValue(failure.expected)}, got {shownValue(failure.actual)}
          </span>
        )}
        {remove.error !== null && <Problem error={remove.error} />}
      </button>
      {asks ? (
        <span className="flex gap-1">
          <Button
            kind="danger"
            className="h-6! px-2! text-xs"
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove test
          </Button>
          <button type="button" className={SMALL} onClick={() => setAsks(false)}>
            Cancel
          </button>
        </span>
      ) : (
        <May service="flow-builder" scope="delete">
          {' '}
          <IconButton
            label={`Remove test ${name}`}
            icon="close"
            className="h-6! w-6! opacity-0 group-hover:opacity-100 focus:opacity-100"
            onClick={() => setAsks(true)}
          />
        </May>
      )}
    </li>
  );
}

interface GeneratedProps {
  readonly flowId: string;
  /** Tests that cover an edge which no stored test covers. */
  readonly fresh: Explored['generated'];
  readonly all: number;
}

function Generated({ flowId, fresh, all }: GeneratedProps) {
  const version = useFlow((state) => state.base?.version ?? 1);
  const dirty = useFlow(isDirty);
  const save = useAction(() => saveGenerated(flowId, version), {
    says: ({ saved = 0 }) => (saved === 1 ? 'Saved 1 test' : `Saved ${saved} tests`),
    reloads: [['flow', flowId, 'tests']],
  });
  if (fresh.length === 0) return null;
  return (
    <Part
      title="Suggested tests"
      aside={
        <May service="flow-builder" scope="write">
          {' '}
          <Button
            className="h-6! px-2! text-xs"
            title={dirty ? 'Save a version first' : 'Replaces tests that were generated before'}
            busy={save.isPending}
            disabled={dirty}
            onClick={() => save.mutate()}
          >
            Save {all === 1 ? 'test' : `all ${all} tests`}
          </Button>
        </May>
      }
    >
      <p className="text-xs text-ink-2">
        Together, these conversations cover every reachable edge. They expect the current messages.
      </p>
      {save.error !== null && <Problem error={save.error} />}
      <ul className="-mx-3">
        {fresh.map(({ name, edge_index, test }) => (
          <li key={name}>
            <details className="group/test">
              <summary className="flex list-none items-center gap-1.5 px-3 py-1 hover:bg-surface-2">
                <Icon
                  name="right"
                  size={12}
                  className="text-ink-2 transition-transform group-open/test:rotate-90"
                />
                <EdgeName index={edge_index} />
                <span className="ml-auto text-xs whitespace-nowrap text-ink-2">
                  {test.turns.length} {test.turns.length === 1 ? 'turn' : 'turns'}
                </span>
              </summary>
              <div className="flex flex-col gap-2 bg-surface-2 px-3 py-2">
                <Conversation turns={test.turns} />
                <div className="flex gap-1">
                  <button type="button" className={SMALL} onClick={() => play(test, null)}>
                    Play
                  </button>
                  <button type="button" className={SMALL} onClick={() => reveal(edge_index)}>
                    Show edge
                  </button>
                </div>
              </div>
            </details>
          </li>
        ))}
      </ul>
    </Part>
  );
}
