// POST /v1/flows/{flow_id}/simulate: a whole conversation against any version, without side effects: nothing is reported,
// no tool is called, autonomous nodes are only dispatched.
import { turnResultToWire, walkTurn } from '@parley/flow-engine';
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { settledTurn, turnBounds } from './execute-turn.ts';
import type { SimulateRequest } from './schemas.ts';
import { shownTo } from './shown-to.ts';
import { getHead } from './version-ledger.ts';

/**
 * An opening turn (unless the conversation is resumed at `current_node`), then one turn an utterance, until the flow ends.
 * @throws AppError not_found, flow_has_errors, unknown_node, turn_did_not_settle
 */
export async function simulateFlow(
  deps: Pick<Deps, 'sql' | 'runnableFlows' | 'gateways' | 'clock' | 'config'>,
  caller: Caller,
  flowId: string,
  input: SimulateRequest & { trace: boolean },
) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const version = input.version ?? head.latestVersion;
  const runnable = await deps.runnableFlows.getValidVersion(key, version);

  const of = { organizationId: caller.organizationId, sessionId: null };
  const shown = shownTo(caller);
  const turns = [];
  let currentNode = input.current_node ?? null;
  let variables: Readonly<Record<string, unknown>> = input.variables ?? {};
  const utterances = currentNode === null ? [null, ...input.utterances] : input.utterances;
  for (const userInput of utterances) {
    const turn = {
      ...turnBounds(deps, runnable),
      agentMode: 'out_of_band' as const,
      currentNode,
      userInput,
      variables,
      nowMs: deps.clock(),
      trace: input.trace,
    };
    const result = await settledTurn(deps, walkTurn(runnable.compiled, turn), turn.nowMs, of);
    const wire = turnResultToWire(result);
    turns.push({ user_input: userInput, ...wire, actions: shown.actions(wire.actions) });
    if (result.nextNode === null) break;
    currentNode = result.nextNode;
    variables = result.variables;
  }
  return { flow_id: flowId, version, turns };
}
