// What came of every attempt: status, time, and what the receiver answered.
import { Badge } from '../ui/badge.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { duration, Time } from '../ui/time.tsx';
import type { Attempt } from './api.ts';
import { outcomeOf } from './status.tsx';

export function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <ol className="flex flex-col gap-2">
      {attempts.map((attempt) => (
        <li key={attempt.attempt} className="flex flex-col gap-2 rounded-lg border border-line p-3">
          <AttemptFacts attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

export function AttemptFacts({ attempt }: { attempt: Attempt }) {
  const { attempt: number, at, ms, error_class, message, answer } = attempt;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Attempt {number}</span>
        <Badge tone={error_class === null ? 'good' : 'bad'}>{outcomeOf(attempt)}</Badge>
        <span className="text-ink-2 tabular-nums">{duration(ms)}</span>
        <span className="ml-auto text-ink-2">
          <Time at={at} absolute />
        </span>
      </div>
      {message && <p className="text-bad">{message}</p>}
      {answer && <CodeBlock text={answer} what="the answer" />}
    </>
  );
}
