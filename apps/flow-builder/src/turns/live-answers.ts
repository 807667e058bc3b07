// Answers to the engine's questions in a live turn: the provider gateway, within what is left of the turn's time.
import type { Gateways } from '../gateways/create-gateways.ts';
import type { Answers } from '../walk/turn.ts';

export interface LiveTurn {
  readonly organizationId: string;
  readonly sessionId: string | null;
  /** What model calls of the turn may take together. Waiting for Postgres, or for a thread, before and between them is not counted. */
  readonly budgetMs: number;
}

export function liveAnswers(gateways: Gateways, turn: LiveTurn): Answers {
  let leftMs = turn.budgetMs;

  async function counted<Answer>(call: (budgetMs: number) => Promise<Answer>): Promise<Answer> {
    const begunMs = performance.now();
    try {
      return await call(leftMs);
    } finally {
      leftMs -= performance.now() - begunMs;
    }
  }

  return {
    classify: (question) => counted((budgetMs) => gateways.classifier.classify(question, budgetMs)),
    // Without an extractor or an agent the engine is told so and does not ask; the answers below are what it would mean.
    extract: async (question) =>
      gateways.extractor
        ? counted((budgetMs) => gateways.extractor!.extract(question, budgetMs))
        : { kind: 'unavailable', reason: 'no extractor' },
    runAgent: async (spec) =>
      gateways.agent
        ? counted((budgetMs) =>
            gateways.agent!.runAgent(spec, {
              budgetMs,
              organizationId: turn.organizationId,
              sessionId: turn.sessionId,
            }),
          )
        : { status: 'error', answer: null, iterations: 0, toolCalls: [] },
  };
}
