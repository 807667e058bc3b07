// How often each question of a version understood its callers, and the answers it refused.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuthoredFlow } from '@parley/flow-engine';
import type { components } from '@parley/sdk/voice-api';
import { readJsonData, voiceApi } from '../../api/clients.ts';
import { Loading, Problem } from '../../ui/page.tsx';
import { INPUT } from '../controls/controls.tsx';

export type FlowAnswers = components['schemas']['FlowAnswers'];

const answersQuery = (flow_id: string, version: number, days: number) =>
  queryOptions({
    queryKey: ['flow-answers', flow_id, version, days],
    queryFn: async () => {
      const query = { flow_id, version, days };
      return readJsonData(voiceApi.GET('/v1/analytics/flow-answers', { params: { query } }));
    },
  });

const PERIODS = [1, 7, 30, 90];
/** Parts of the bar, in order. */
const PARTS = [
  { part: 'understood', name: 'immediately', tone: 'bg-good' },
  { part: 'understood_later', name: 'later', tone: 'bg-good/50' },
  { part: 'asked_again', name: 'asked again', tone: 'bg-warn' },
  { part: 'lost', name: 'lost', tone: 'bg-bad' },
] as const;

interface AnswersProps {
  readonly flow: AuthoredFlow;
  readonly flowId: string;
  readonly version: number;
  readonly chosen: string | null;
  readonly onChoose: (nodeId: string | null) => void;
}

export function Answers({ flow, flowId, version, chosen, onChoose }: AnswersProps) {
  const [days, setDays] = useState(30);
  const { data, error, refetch } = useQuery(answersQuery(flowId, version, days));
  const questions = (data?.questions ?? []).flatMap((question) => {
    const nodeId = flow.nodes[question.index]?.id; // undefined in a called flow
    return nodeId === undefined ? [] : [{ ...question, nodeId }];
  });
  return (
    <section aria-label="Answers" className="flex flex-col gap-2 border-t border-line pt-3">
      <header className="flex items-center gap-2">
        <h2 className="font-semibold">Answers</h2>
        <select
          aria-label="Period"
          className={`${INPUT} ml-auto h-7 w-auto!`}
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {PERIODS.map((one) => (
            <option key={one} value={one}>
              {one === 1 ? 'Last day' : `Last ${one} days`}
            </option>
          ))}
        </select>
      </header>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading subject="answers" />}
      {data !== undefined && questions.length === 0 && (
        <p className="text-ink-2">
          No answers in this period. When a bot runs this version, this shows how often each question
          understood its callers. Use Try it to test answers yourself.
        </p>
      )}
      {data?.complete === false && <p className="text-ink-2">Only the newest conversations are counted.</p>}
      <ul className="flex flex-col gap-3">
        {questions.map((question) => (
          <li key={question.nodeId} className={question.nodeId === chosen ? 'bg-surface-2' : ''}>
            <button
              type="button"
              className="block min-h-6 max-w-full truncate font-mono text-xs text-accent hover:underline"
              aria-pressed={question.nodeId === chosen}
              onClick={() => onChoose(question.nodeId === chosen ? null : question.nodeId)}
            >
              {question.nodeId}
            </button>
            <Bar question={question} />
            {question.refused.length > 0 && (
              <p className="pt-0.5 text-xs text-ink-2">
                Not understood:{' '}
                {question.refused
                  .map(({ words, count }) => `“${words}” ${count.toLocaleString('en')}`)
                  .join(', ')}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bar({ question }: { readonly question: FlowAnswers['questions'][number] }) {
  const all = PARTS.reduce((sum, { part }) => sum + question[part], 0);
  const parts = PARTS.filter(({ part }) => question[part] > 0);
  return (
    <>
      <div aria-hidden className="flex h-2 w-full overflow-hidden rounded bg-surface-3">
        {parts.map(({ part, tone }) => (
          <div key={part} className={tone} style={{ width: `${(100 * question[part]) / all}%` }} />
        ))}
      </div>
      <p className="text-xs tabular-nums">
        {parts.map(({ part, name }) => `${question[part].toLocaleString('en')} ${name}`).join(' · ')}
      </p>
    </>
  );
}
