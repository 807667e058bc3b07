// Shows how an answer was read: its value or why there is none, and the ignored words.
import type { ReactNode } from 'react';
import type { ExplainedAnswer } from '@parley/flow-analysis';
import { shownValue } from '../../engine/shown.ts';

type TokenRule = ExplainedAnswer['tokens'][number]['rule'];

const REFUSES: Partial<Record<TokenRule, string>> = {
  changes_value: 'may change the value',
  second_value: 'may be another value',
  question: 'asks a question',
};

export function Reading({ read }: { readonly read: ExplainedAnswer }) {
  const { status, value, reason, reading, discarded, tokens, examples } = read;
  const wordsThat = (...rules: readonly TokenRule[]): string =>
    tokens
      .filter(({ rule }) => rules.includes(rule))
      .map(({ text }) => text)
      .join(' ');
  const notRead = status === 'captured' && examples === undefined ? wordsThat('unread') : '';
  return (
    <dl
      aria-label="How the answer was read"
      className="ml-auto flex max-w-[80%] flex-wrap justify-end gap-x-2 text-right text-xs text-ink-2"
    >
      {status === 'captured' ? (
        <Fact name="Value">
          <code className="font-mono text-good">{shownValue(value)}</code>
          {reading !== null && `, ${reading === 'whole' ? 'the whole answer' : 'inside a sentence'}`}
        </Fact>
      ) : (
        <Fact name="Not captured">
          <span className="text-warn">{status === 'no_input' ? 'silence' : reason}</span>
        </Fact>
      )}
      {examples !== undefined && (
        <Fact name={examples.by === 'example' ? 'Equal example' : 'Nearest example'}>{examples.nearest}</Fact>
      )}
      {discarded !== null && <Fact name="Retracted">{discarded}</Fact>}
      {notRead !== '' && <Fact name="Ignored">{notRead}</Fact>}
      {Object.entries(REFUSES).map(([rule, why]) => {
        const words = wordsThat(rule as TokenRule);
        return words === '' ? null : (
          <Fact key={rule} name="Reason">
            “{words}” {why}
          </Fact>
        );
      })}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0 break-words">
      <dt className="inline">{name}: </dt>
      <dd className="inline text-ink">{children}</dd>
    </div>
  );
}
