// One turn of the engine: who answers its questions, and its result or the error in its place.
import { AppError } from '@parley/envelopes';
import type {
  AgentOutcome,
  AgentSpec,
  BranchQuestion,
  Classification,
  ExtractQuestion,
  Extraction,
  Step,
  TurnOutcome,
  TurnResult,
} from '@parley/flow-engine';

/**
 * The caller carries the variables in every request, and a turn copies them
 * (docs/flow-language.md#definition).
 */
export const VARIABLES_BYTES_MAX = 256 * 1024;

/** Every method returns an answer, `unavailable` where there is none. None throws for that. */
export interface Answers {
  classify(question: BranchQuestion): Promise<Classification>;
  extract(question: ExtractQuestion): Promise<Extraction>;
  runAgent(spec: AgentSpec): Promise<AgentOutcome>;
}

/** Walks from the first step to the outcome. */
export async function driveTurn(first: Step, answers: Answers): Promise<TurnOutcome> {
  let step = first;
  for (;;) {
    switch (step.kind) {
      case 'done':
        return step.result;
      case 'classify':
        step = step.resume(await answers.classify(step.question));
        break;
      case 'extract':
        step = step.resume(await answers.extract(step.question));
        break;
      case 'run_agent':
        step = step.resume(await answers.runAgent(step.spec));
        break;
    }
  }
}

/**
 * The engine returns errors of the caller as values; the API answers them with 422
 * (docs/flow-language.md#walk).
 */
export function toTurnResult(outcome: TurnOutcome): TurnResult {
  switch (outcome.kind) {
    case 'turn':
      return outcome;
    case 'unknown_node':
      throw new AppError('unknown_node', `the flow has no node "${outcome.nodeId ?? ''}" to resume at`);
    case 'tool_result_mismatch':
    case 'handoff_result_mismatch': {
      const { kind, nodeId } = outcome;
      const what = kind.replace('_mismatch', '');
      const where = nodeId === null ? 'the start of the flow' : `node "${nodeId}"`;
      throw new AppError(kind, `${what} is missing or is not what ${where} waits for`);
    }
    case 'turn_did_not_settle':
      throw new AppError(
        'turn_did_not_settle',
        `the turn visited ${outcome.stepsMax} nodes without a wait or an end`,
        { details: { path: outcome.path } },
      );
    case 'turn_too_costly':
      throw new AppError(
        'turn_too_costly',
        `the turn takes more than ${outcome.max} ${outcome.cost.replace('_', ' ')}`,
        { details: { cost: outcome.cost, max: outcome.max } },
      );
  }
}
