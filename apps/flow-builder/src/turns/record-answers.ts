// Records the answers of models during a turn (docs/why.md#a-recorded-turn).
import { recordOutcome, type RecordedAnswer } from '@parley/flow-analysis';
import type { Clock } from '@parley/server/runtime';
import type { Meter } from '../gateways/meter.ts';
import type { Answers } from '../walk/turn.ts';

/** Passes the answers on and appends each to `recorded`, in order, with what it took. */
export function recordAnswers(
  answers: Answers,
  clock: Clock,
  meter: Meter,
  recorded: RecordedAnswer[],
): Answers {
  async function timed<Answer>(ask: () => Promise<Answer>) {
    const askedMs = clock();
    meter.take();
    const answer = await ask();
    const ms = Math.max(0, clock() - askedMs);
    const usage = meter.take();
    return { answer, noted: usage === undefined ? { ms } : { ms, usage } };
  }
  return {
    classify: async (question) => {
      const { answer, noted } = await timed(() => answers.classify(question));
      recorded.push({ kind: 'classify', node_id: question.nodeId, answer, ...noted });
      return answer;
    },
    extract: async (question) => {
      const { answer, noted } = await timed(() => answers.extract(question));
      recorded.push({ kind: 'extract', node_id: question.nodeId, answer, ...noted });
      return answer;
    },
    runAgent: async (spec) => {
      const { answer, noted } = await timed(() => answers.runAgent(spec));
      recorded.push({ kind: 'run_agent', node_id: spec.nodeId, answer: recordOutcome(answer), ...noted });
      return answer;
    },
  };
}
