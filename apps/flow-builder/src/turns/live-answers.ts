// Answers to the engine's questions in a live turn: the provider gateway, within what is left of the turn's time.
import type { Clock } from '@parley/runtime';
import type { Gateways } from '../gateways/create-gateways.ts';
import type { Answers } from './drive-turn.ts';

export interface LiveTurn {
  readonly organizationId: string;
  readonly sessionId: string | null;
  /** When the turn must be over, epoch milliseconds: every budget is clipped to what is left until then. */
  readonly deadlineMs: number;
}

export function liveAnswers(gateways: Gateways, clock: Clock, turn: LiveTurn): Answers {
  const left = () => turn.deadlineMs - clock();
  return {
    classify: (question) => gateways.classifier.classify(question, left()),
    // Without an extractor or an agent the engine is told so and does not ask; the answers below are what it would mean.
    extract: async (question) =>
      gateways.extractor?.extract(question, left()) ?? { kind: 'unavailable', reason: 'no extractor' },
    runAgent: async (spec) =>
      gateways.agent?.runAgent(spec, {
        budgetMs: left(),
        organizationId: turn.organizationId,
        sessionId: turn.sessionId,
      }) ?? {
        status: 'error',
        answer: null,
        iterations: 0,
        toolCalls: [],
      },
  };
}
