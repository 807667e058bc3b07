// What a turn came to, or the refusal that the engine gives in its place.
import { AppError } from '@parley/envelopes';
import type { TurnOutcome, TurnResult } from '@parley/flow-engine';

/** A refusal of the engine is a value; on the wire it is a 422 (docs/flow-language.md#walk). */
export function resultOf(outcome: TurnOutcome): TurnResult {
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
      throw new AppError(kind, `what the turn brings as ${what} is not what ${where} waits for`);
    }
    case 'turn_did_not_settle':
      throw new AppError(
        'turn_did_not_settle',
        `the turn visited ${outcome.stepsMax} nodes without settling`,
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
