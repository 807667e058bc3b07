// Answers the engine's questions through the model gateway, within the time of the turn.
import type { Gateways } from '../gateways/create-gateways.ts';
import type { ModelTurn } from '../gateways/meter.ts';
import type { Answers } from '../walk/turn.ts';

export interface LiveTurn extends ModelTurn {
  readonly organizationId: string;
  readonly sessionId: string | null;
  /**
   * Milliseconds for all model calls of the turn. Waiting for Postgres or for a thread in between
   * does not count.
   */
  readonly budgetMs: number;
}

export function createLiveAnswers(
  gateways: Pick<Gateways, 'classifier' | 'extractor' | 'agent'>,
  turn: LiveTurn,
): Answers {
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
    classify: (question) => counted((budgetMs) => gateways.classifier.classify(question, budgetMs, turn)),
    // The engine knows when there is no extractor or agent, and does not ask. These answers are for
    // callers that ask anyway.
    extract: async (question) =>
      gateways.extractor
        ? counted((budgetMs) => gateways.extractor!.extract(question, budgetMs, turn))
        : { kind: 'unavailable', reason: 'no extractor' },
    runAgent: async (spec) =>
      gateways.agent
        ? counted((budgetMs) =>
            gateways.agent!.runAgent(spec, {
              budgetMs,
              organizationId: turn.organizationId,
              sessionId: turn.sessionId,
              meter: turn.meter,
              model: turn.model,
            }),
          )
        : { status: 'error', answer: null, iterations: 0, toolCalls: [] },
  };
}
