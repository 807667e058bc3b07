// Listens in on the answers of a turn, so that it can be kept with them (docs/why.md#a-recorded-turn).
import { recordOutcome, type RecordedAnswer } from '@parley/flow-engine';
import type { Clock } from '@parley/server/runtime';
import type { Answers } from '../walk/turn.ts';

/** The same answers; each is added to `heard`, in the order of asking. */
export function hearing(answers: Answers, clock: Clock, heard: RecordedAnswer[]): Answers {
  async function timed<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
    const askedMs = clock();
    const answer = await ask();
    return { answer, ms: Math.max(0, clock() - askedMs) };
  }
  return {
    classify: async (question) => {
      const { answer, ms } = await timed(() => answers.classify(question));
      heard.push({ kind: 'classify', node_id: question.nodeId, answer, ms });
      return answer;
    },
    extract: async (question) => {
      const { answer, ms } = await timed(() => answers.extract(question));
      heard.push({ kind: 'extract', node_id: question.nodeId, answer, ms });
      return answer;
    },
    runAgent: async (spec) => {
      const { answer, ms } = await timed(() => answers.runAgent(spec));
      heard.push({ kind: 'run_agent', node_id: spec.nodeId, answer: recordOutcome(answer), ms });
      return answer;
    },
  };
}
