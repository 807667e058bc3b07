// What a draft would have said in the very same turn.
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { shownValue } from '../../engine/shown.ts';
import type { Replayed } from '../../engine/replay.ts';

export function VerdictBadge({ of: { same, exact } }: { readonly of: Pick<Replayed, 'same' | 'exact'> }) {
  if (same === null) return <Badge>cannot be told</Badge>;
  if (!same) return <Badge tone="warn">something else</Badge>;
  return <Badge tone="good">{exact ? 'the same' : 'the same, as far as was kept'}</Badge>;
}

export function Verdict({ of }: { readonly of: Replayed }) {
  if (of.same === null) return <p>{stoppedWords(of)}</p>;
  if (of.differences.length === 0) return null;
  return (
    <dl className="flex flex-col gap-2">
      {of.differences.map(({ what, before, after }) => (
        <div key={what}>
          <dt className="text-xs text-ink-2">{NAMES[what]}</dt>
          <dd className="flex flex-col">
            <del className="text-bad">{shownSide(what, before)}</del>
            <ins className="text-good no-underline">{shownSide(what, after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type What = Replayed['differences'][number]['what'];

const NAMES: Readonly<Record<What, string>> = {
  messages: 'It says',
  next_node: 'It goes on at',
  variables: 'It remembers',
  actions: 'It asks for',
  status: 'It is then',
};

function shownSide(what: What, side: unknown): ReactNode {
  if (side === null || side === undefined) return what === 'next_node' ? 'nowhere: it is over' : 'nothing';
  if (Array.isArray(side))
    return side.length === 0
      ? 'nothing'
      : side.map((one, at) => (
          <span key={at} className="block break-words">
            {typeof one === 'string' ? one : shownValue(one)}
          </span>
        ));
  if (typeof side === 'object')
    return Object.entries(side).map(([name, value]) => (
      <code key={name} className="block font-mono text-xs break-all">
        {name} = {shownValue(value)}
      </code>
    ));
  const word = typeof side === 'string' ? side : shownValue(side);
  return what === 'status' ? word.replaceAll('_', ' ') : <code className="font-mono text-xs">{word}</code>;
}

const ASKED: Readonly<Record<string, string>> = {
  classify: 'lets a classifier choose',
  extract: 'lets an extractor read',
  run_agent: 'lets an agent work',
  answer: 'asks the caller',
};

/** Why a turn was not walked to its end. */
export function stoppedWords({ stopped, question }: Pick<Replayed, 'stopped' | 'question'>): string {
  switch (stopped) {
    case 'unknown_answer': {
      const asks = (question?.asks ?? []).filter((text) => text !== '').map((text) => `“${text}”`);
      const what = `${ASKED[question?.kind ?? ''] ?? 'asks'} at ${question?.node_id ?? 'a node'}`;
      return `It ${what}${asks.length === 0 ? '' : `: ${asks.join(', ')}`}. Nobody answered that when this turn was recorded.`;
    }
    case 'ended':
      return 'The conversation would be over before this turn.';
    case 'not_reached':
      return 'It stopped at an earlier turn.';
    default:
      return 'What this turn began with was not kept, so it cannot be walked again.';
  }
}
