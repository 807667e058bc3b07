// Records the answers of models during a turn (docs/why.md#a-recorded-turn).
import { recordOutcome, type RecordedAnswer } from '@parley/flow-analysis';
import type { Clock } from '@parley/server/runtime';
import type { Answers } from '../walk/turn.ts';

/** Passes the answers on and appends each to `recorded`, in order. */
export function recordAnswers(answers: Answers, clock: Clock, recorded: RecordedAnswer[]): Answers {
  async function timed<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
    const askedMs = clock();
    const answer = await ask();
    return { answer, ms: Math.max(0, clock() - askedMs) };
  }
  return {
    classify: async (question) => {
      const { answer, ms } = await timed(() => answers.classify(question));
      recorded.push({ kind: 'classify', node_id: question.nodeId, answer, ms });
      return answer;
    },
    extract: async (question) => {
      const { answer, ms } = await timed(() => answers.extract(question));
      recorded.push({ kind: 'extract', node_id: question.nodeId, answer, ms });
      return answer;
    },
    runAgent: async (spec) => {
      const { answer, ms } = await timed(() => answers.runAgent(spec));
      recorded.push({ kind: 'run_agent', node_id: spec.nodeId, answer: recordOutcome(answer), ms });
      return answer;
    },
  };
}
