// What callers said that no branch of a node recognised, in groups of like utterances. Each group
// can become examples of a branch of the draft.
import { QueryClientContext } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import type { UtteranceGroup } from '@parley/flow-analysis';
import { limits, type AuthoredFlow } from '@parley/flow-engine';
import { readFlowTurns } from '../../api/recorded-turns.ts';
import { sharedEngine } from '../../engine/client.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { sessionQuery } from '../../session/session.ts';
import { Problem } from '../../ui/page.tsx';
import { INPUT } from '../controls/controls.tsx';
import { edgesFrom, edgesOf } from '../document/doc.ts';
import { setEdge } from '../document/edits.ts';
import { change, useFlow, type Base } from '../document/flow-store.ts';

const wordsOf = (flow: AuthoredFlow, index: number): string => {
  const edge = edgesOf(flow)[index];
  return edge?.nl ?? edge?.condition ?? '';
};

/** Natural-language edges of a node of the draft. */
const branchesOf = (flow: AuthoredFlow, source: string): readonly number[] =>
  edgesFrom(flow, source).filter((index) => wordsOf(flow, index) !== '');

/** Pass the node as `key`, to reset the result. Nothing without a credential for the voice API. */
export function Unrecognised({ source }: { readonly source: string }) {
  const session = useContext(QueryClientContext)?.getQueryData(sessionQuery.queryKey);
  const base = useFlow((state) => state.base);
  const hasBranches = useFlow((state) => branchesOf(state.doc.flow, source).length > 0);
  if (base === null || !hasBranches || session?.services.includes('voice-api') !== true) return null;
  return <Found source={source} base={base} />;
}

function Found({ source, base }: { readonly source: string; readonly base: Base }) {
  const flowId = useFlow((state) => state.flowId);
  const find = useAction(
    async () => {
      const turns = (await readFlowTurns(flowId)).filter(({ version }) => version === base.version);
      const found = await sharedEngine().group(base.doc.flow, turns);
      const nodes = found.kind === 'found' ? found.found : [];
      return { looked: turns.length, groups: nodes.find(({ node_id }) => node_id === source)?.groups ?? [] };
    },
    { says: ({ looked }) => `Searched ${looked} turns`, isShown: true },
  );
  return (
    <section aria-label="Unrecognised utterances" className="flex flex-col gap-2 border-t border-line pt-3">
      <h2 className="text-xs font-medium text-ink-2">Unrecognised utterances</h2>
      <p className="text-xs text-ink-2">What callers said that took the default edge of this node.</p>
      {find.error && <Problem error={find.error} />}
      {find.data && (
        <p aria-live="polite" className="text-xs">
          {find.data.groups.length === 0 ? 'None' : `The largest groups`} in{' '}
          {find.data.looked.toLocaleString('en')} recorded turns of version {base.version}
          {find.data.groups.length === 0 ? '.' : ':'}
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {find.data?.groups.map((group) => (
          <Group key={group.utterances[0]} group={group} source={source} before={base.doc.flow} />
        ))}
      </ul>
      <Button className="h-7! self-start px-2! text-xs" busy={find.isPending} onClick={() => find.mutate()}>
        Find unrecognised utterances
      </Button>
    </section>
  );
}

interface GroupProps {
  readonly group: UtteranceGroup;
  readonly source: string;
  /** The version that the turns ran on. */
  readonly before: AuthoredFlow;
}

function Group({ group: { count, utterances, edge_index }, source, before }: GroupProps) {
  const flow = useFlow((state) => state.doc.flow);
  const branches = branchesOf(flow, source);
  const nearest = branches.find(
    (index) => edge_index !== null && wordsOf(flow, index) === wordsOf(before, edge_index),
  );
  const [choice, setChoice] = useState<number | null>(null);
  const to = choice ?? nearest ?? branches[0] ?? null;
  const isAdded = to !== null && examplesWith(flow, to, utterances) === null;
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line px-2.5 py-2">
      <span className="text-xs text-ink-2">{count === 1 ? '1 turn' : `${count} turns`}</span>
      <ul className="text-sm break-words">
        {utterances.map((text) => (
          <li key={text}>“{text}”</li>
        ))}
      </ul>
      <div className="flex gap-1.5">
        <select
          aria-label="Branch"
          className={`${INPUT} h-7 flex-1`}
          value={to ?? ''}
          onChange={(event) => setChoice(Number(event.target.value))}
        >
          {branches.map((index) => (
            <option key={index} value={index}>
              {edgesOf(flow)[index]!.label ?? wordsOf(flow, index)}
            </option>
          ))}
        </select>
        <Button
          className="h-7! px-2! text-xs"
          disabled={isAdded || to === null}
          onClick={() => to !== null && addExamples(to, utterances)}
        >
          {isAdded ? 'Added' : utterances.length === 1 ? 'Add example' : 'Add examples'}
        </Button>
      </div>
    </li>
  );
}

/** The examples of an edge with further ones; null = it has them all, or no room. */
function examplesWith(flow: AuthoredFlow, index: number, texts: readonly string[]): string[] | null {
  const list: unknown = edgesOf(flow)[index]?.['examples'];
  const before = Array.isArray(list) ? (list as string[]) : [];
  const after = [...new Set([...before, ...texts])].slice(0, Math.max(limits.examplesMax, before.length));
  return after.length === before.length ? null : after;
}

function addExamples(index: number, texts: readonly string[]): void {
  change((doc) => {
    const examples = examplesWith(doc.flow, index, texts);
    return examples === null ? doc : setEdge(doc, index, { examples });
  }, 'Added examples to the edge');
}
