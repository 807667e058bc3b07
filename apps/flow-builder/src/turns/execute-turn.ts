// POST /v1/flows/{flow_id}/execute: one turn. The caller carries the state.
import { AppError } from '@parley/envelopes';
import { readCallerAnswer, turnResultToWire, type TurnInput } from '@parley/flow-engine';
import type { Caller, Face, RequestContext } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { type RunnableVersion, findVersionToRun } from '../versions/runnable-flows.ts';
import type { ExecuteRequest } from './schemas.ts';
import type { Gateways } from '../gateways/create-gateways.ts';
import { createMaskFor } from '../credentials/mask-for-caller.ts';
import { VARIABLES_BYTES_MAX } from '../walk/turn.ts';
import { createTurnMeter, runTurn, readTurnBounds, type TurnDeps } from './run-turn.ts';

type ExecuteDeps = TurnDeps & Pick<Deps, 'runnableFlows' | 'gateways'>;

export interface Execute {
  readonly flowId: string;
  readonly face: Face;
  readonly body: ExecuteRequest;
  /** From `?version=`; the body may name it too. */
  readonly version: number | undefined;
  readonly trace: boolean;
  readonly request: RequestContext;
  /** From Content-Length; undefined when the client did not send it. */
  readonly bodyBytes: number | undefined;
}

/**
 * Executes one turn without storing a session: the caller sends `next_node` and `variables` back.
 * @throws AppError not_found, not_published, flow_has_errors, payload_too_large, and what runTurn
 *   throws
 */
export async function executeTurn(deps: ExecuteDeps, caller: Caller, execute: Execute) {
  const { body, flowId, face, request } = execute;
  const { organizationId } = caller;
  refuseLargeVariables(execute);
  const wanted = { organizationId, flowId, face, version: readVersion(execute) };
  const found = findVersionToRun(deps.runnableFlows, wanted);
  const { version, runnable, unpublished } = found instanceof Promise ? await found : found;

  const gateways = deps.gateways.peek(organizationId) ?? (await deps.gateways.get(organizationId));

  const session_id = body.session_id ?? null;
  const turn = toTurnInput(deps, gateways, runnable, execute);
  const botId = body.bot_id ?? null;
  const meter = execute.trace ? createTurnMeter(deps, organizationId, gateways, request) : undefined;
  const newTurn = { organizationId, flowId, version, runnable, gateways, turn, botId, request, meter };
  const settled = runTurn(deps, newTurn);
  const result = settled instanceof Promise ? await settled : settled;
  // No spread for the usual turn: copying costs more than the turn.
  const turned = turnResultToWire(result);
  const wire =
    turned.actions.length === 0
      ? turned
      : { ...turned, actions: createMaskFor(caller).actions(turned.actions) };
  const { status, next_node, outputs, actions, variables, input, steps } = wire;
  if (!unpublished && wire.trace === undefined)
    return {
      flow_id: flowId,
      version,
      session_id,
      status,
      next_node,
      outputs,
      actions,
      variables,
      input,
      steps,
    };
  const usage = meter?.total();
  return {
    flow_id: flowId,
    version,
    ...(unpublished ? { published: false } : {}),
    session_id,
    ...(usage === undefined ? {} : { usage }),
    ...wire,
  };
}

/**
 * A body within the limit has variables within the limit, so only larger or undeclared bodies are
 * measured.
 */
function refuseLargeVariables({ body, bodyBytes }: Execute): void {
  if (bodyBytes !== undefined && bodyBytes <= VARIABLES_BYTES_MAX) return;
  // The engine stores the result of a tool in the variables.
  const result = body.tool_result?.result;
  const bytes = jsonLength(body.variables ?? {}) + (result === undefined ? 0 : jsonLength(result));
  if (bytes <= VARIABLES_BYTES_MAX) return;
  const what = result === undefined ? 'variables take' : 'variables and the result of the tool take';
  throw new AppError(
    'payload_too_large',
    `${what} ${bytes} bytes; at most ${VARIABLES_BYTES_MAX} are accepted`,
    {
      fields: [{ path: '/variables', message: `must be at most ${VARIABLES_BYTES_MAX} bytes of JSON` }],
    },
  );
}

const jsonLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function readVersion({ version, body }: Execute): number | undefined {
  const inBody = body.version ?? undefined;
  if (version !== undefined && inBody !== undefined && version !== inBody) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [{ path: '/version', message: 'differs from the version in the query' }],
    });
  }
  return version ?? inBody;
}

function toTurnInput(
  deps: ExecuteDeps,
  gateways: Gateways,
  runnable: RunnableVersion,
  { body, bodyBytes, trace }: Execute,
): TurnInput {
  const { agentMode, extractorAvailable, stepsMax, stepsProvedMax, classifierConfidenceMin } = readTurnBounds(
    deps,
    gateways,
    runnable,
  );
  return {
    agentMode,
    extractorAvailable,
    stepsMax,
    stepsProvedMax,
    classifierConfidenceMin,
    currentNode: body.current_node ?? null,
    userInput: body.user_input,
    answer: readCallerAnswer(body),
    variables: body.variables ?? {},
    nowMs: deps.clock(),
    session: body.session_id ?? null,
    variablesBytes: Math.min(bodyBytes ?? VARIABLES_BYTES_MAX, VARIABLES_BYTES_MAX),
    trace,
  };
}
