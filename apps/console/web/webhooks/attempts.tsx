// The attempts of a delivery: request, timings and response.
import type { ReactNode } from 'react';
import { Badge } from '../ui/badge.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import type { Attempt } from './api.ts';
import { describeOutcome } from './status.tsx';

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
  const { attempt: number, at, ms, error_class, message, answer, response_headers } = attempt;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Attempt {number}</span>
        <Badge tone={error_class === null ? 'good' : 'bad'}>{describeOutcome(attempt)}</Badge>
        <span className="text-ink-2 tabular-nums">{formatDuration(ms)}</span>
        <span className="ml-auto text-ink-2">
          <Time at={at} absolute />
        </span>
      </div>
      {message && <p className="text-bad">{message}</p>}
      {answer && <CodeBlock text={answer} label="the response" />}
      {attempt.timings && <Timings of={attempt.timings} totalMs={ms} />}
      {attempt.request_headers && (
        <Wire summary="Request">
          <CodeBlock
            text={`POST ${attempt.url ?? ''}\n${formatHeaders(attempt.request_headers)}`}
            label={`the request of attempt ${number}`}
          />
        </Wire>
      )}
      {response_headers && (
        <Wire summary="Response headers">
          <CodeBlock text={formatHeaders(response_headers)} label={`response headers of attempt ${number}`} />
        </Wire>
      )}
    </>
  );
}

const formatHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function Wire({ summary, children }: { readonly summary: string; readonly children: ReactNode }) {
  return (
    <details>
      <summary className="w-fit py-1 text-ink-2 hover:text-ink">{summary}</summary>
      {children}
    </details>
  );
}

const PARTS = [
  ['dns_ms', 'DNS'],
  ['connect_ms', 'connection'],
  ['tls_ms', 'TLS'],
  ['first_byte_ms', 'first byte'],
] as const;

/** A reused connection has no DNS, connection and TLS times. */
function Timings({ of, totalMs }: { of: NonNullable<Attempt['timings']>; totalMs: number }) {
  return (
    <dl className="flex flex-wrap gap-x-4 text-xs text-ink-2 tabular-nums">
      {[...PARTS.map(([part, label]) => ({ label, ms: of[part] })), { label: 'total', ms: totalMs }].map(
        ({ label, ms }) =>
          ms !== null && (
            <div key={label} className="flex gap-1">
              <dt>{label}</dt>
              <dd>{formatDuration(ms)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
