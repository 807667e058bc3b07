// The result of a draft in the same turn.
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { shownValue } from '../../engine/shown.ts';
import type { Replayed } from '../../engine/replay.ts';

export function VerdictBadge({ of: { same, exact } }: { readonly of: Pick<Replayed, 'same' | 'exact'> }) {
  if (same === null) return <Badge>unknown</Badge>;
  if (!same) return <Badge tone="warn">different</Badge>;
  return <Badge tone="good">{exact ? 'same' : 'same, as far as recorded'}</Badge>;
}

export function Verdict({ of }: { readonly of: Replayed }) {
  if (of.same === null) return <p>{explainStop(of)}</p>;
  if (of.differences.length === 0) return null;
  return (
    <dl className="flex flex-col gap-2">
      {of.differences.map(({ what, before, after }) => (
        <div key={what}>
          <dt className="text-xs text-ink-2">{NAMES[what]}</dt>
          <dd className="flex flex-col">
            <del className="text-bad">{renderSide(what, before)}</del>
            <ins className="text-good no-underline">{renderSide(what, after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type What = Replayed['differences'][number]['what'];

const NAMES: Readonly<Record<What, string>> = {
  messages: 'Messages',
  next_node: 'Next node',
  variables: 'Variables',
  actions: 'Actions',
  status: 'Status',
};

function renderSide(what: What, side: unknown): ReactNode {
  if (side === null || side === undefined) return what === 'next_node' ? 'none: the flow ends' : 'nothing';
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

const QUESTIONS: Readonly<Record<string, string>> = {
  classify: 'asks a classifier',
  extract: 'asks an extractor',
  run_agent: 'runs an agent',
  answer: 'asks the caller',
};

/** Why the replay of a turn did not finish. */
export function explainStop({ stopped, question }: Pick<Replayed, 'stopped' | 'question'>): string {
  switch (stopped) {
    case 'unknown_answer': {
      const asks = (question?.asks ?? []).filter((text) => text !== '').map((text) => `“${text}”`);
      const what = `${QUESTIONS[question?.kind ?? ''] ?? 'asks'} at ${question?.node_id ?? 'a node'}`;
      return `The replay ${what}${asks.length === 0 ? '' : `: ${asks.join(', ')}`}. The recording has no result for that.`;
    }
    case 'ended':
      return 'The conversation ends before this turn.';
    case 'not_reached':
      return 'The replay stopped at an earlier turn.';
    default:
      return 'The input of this turn was not recorded, so it cannot be replayed.';
  }
}
