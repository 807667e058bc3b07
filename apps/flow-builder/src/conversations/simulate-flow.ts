// POST /v1/flows/{flow_id}/simulate: a whole conversation without side effects. Nothing is
// reported, no tool is called, and autonomous nodes become actions.
import { readCallerAnswer } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import {
  MAIN_THREAD_MS,
  simulate,
  type Conversation,
  type HeavyOutput,
  type SimulationInput,
  type IncomingTurn,
} from '../heavy/heavy-jobs.ts';
import { ANSWER_BYTES_MAX, type Playable } from '../heavy/job-parts.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { createTurnAnswers, createTurnMeter, readTurnBounds } from '../turns/run-turn.ts';
import type { Answers } from '../walk/turn.ts';
import type { SimulateRequest } from './schemas.ts';
import { createMaskFor } from '../credentials/mask-for-caller.ts';
import { checkSentVersion, loadStoredVersion, type PlayedVersion } from './played-version.ts';
import { versionHasErrors, type FlowKey } from '../versions/runnable-flows.ts';
import { refuseErrors } from '../versions/check-definition.ts';
import { getHead } from '../versions/version-ledger.ts';

/**
 * Runs `turns`, or an opening turn and one for each utterance, until the flow ends. A conversation
 * that resumes at `current_node` has no opening turn.
 * @throws AppError not_found, flow_has_errors, unknown_node, tool_result_mismatch,
 *   handoff_result_mismatch, turn_did_not_settle, turn_too_costly, limit_exceeded,
 *   request_too_costly
 */
export async function simulateFlow(
  deps: Pick<Deps, 'sql' | 'log' | 'gateways' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>,
  caller: Caller,
  flowId: string,
  input: SimulateRequest & { trace: boolean },
) {
  const { organizationId } = caller;
  const { version, playable, bounds, compiled } = await selectVersion(
    deps,
    { organizationId, flowId },
    input,
  );
  const gateways = await deps.gateways.get(organizationId);
  const { current_node: currentNode = null, variables = {}, trace } = input;
  const turn = {
    ...readTurnBounds(deps, gateways, bounds),
    agentMode: 'out_of_band' as const,
    currentNode,
    variables,
    nowMs: deps.clock(),
    trace,
  };
  const conversation = {
    incoming: toIncomingTurns(input),
    turn,
    bytesLeft: ANSWER_BYTES_MAX,
  };
  const answers = createAnswers(deps, { organizationId, gateways, model: bounds.modelName, turn: {} });
  const here = isSmall([playable, conversation.incoming, variables])
    ? await simulate(compiled(), conversation, answers, MAIN_THREAD_MS)
    : { turns: [], left: conversation };
  const there = here.left
    ? await simulateOnThread(deps.heavyWork, organizationId, playable, here.left, answers)
    : [];
  const shown = createMaskFor(caller);
  const turns = [...here.turns, ...there].map((played) => ({
    ...played,
    actions: shown.actions(played.actions),
  }));
  return { flow_id: flowId, version, turns };
}

/** Definitions in the request must have no errors, as stored versions. */
async function selectVersion(
  deps: Pick<Deps, 'sql' | 'heavyWork' | 'validationRules'>,
  key: FlowKey,
  { definition, version }: SimulateRequest,
): Promise<PlayedVersion> {
  if (definition !== undefined) {
    const sent = await checkSentVersion(deps, key, definition);
    refuseErrors(sent.validation);
    return sent;
  }
  const { latestVersion } = await getHead(deps.sql, key);
  const number = version ?? latestVersion;
  const stored = await loadStoredVersion(deps.sql, key, number);
  if (!stored.valid) throw versionHasErrors(key, number);
  return stored;
}

function toIncomingTurns({
  utterances = [],
  turns,
  current_node: currentNode,
}: SimulateRequest): IncomingTurn[] {
  if (turns === undefined)
    return (currentNode == null ? [null, ...utterances] : utterances).map((userInput) => ({
      userInput,
      answer: null,
    }));
  return turns.map(({ now, variables, ...brought }) => ({
    userInput: brought.user_input ?? null,
    answer: readCallerAnswer(brought),
    nowMs: now === undefined ? undefined : now * 1000,
    variables,
  }));
}

/**
 * Threads do not wait for models: this thread gets the answer, and another thread job continues.
 */
async function simulateOnThread(
  heavyWork: Deps['heavyWork'],
  organizationId: string,
  playable: Playable,
  conversation: Conversation,
  answers: Answers,
) {
  const turns = [];
  let left: Conversation | undefined = conversation;
  let answered: unknown[] = [];
  while (left) {
    const input: SimulationInput = { ...playable, conversation: left, answered };
    const played: HeavyOutput<'simulate'> = await heavyWork.run(organizationId, 'simulate', input);
    turns.push(...played.turns);
    left = played.left;
    if (!played.asked) continue;
    const { to, question } = played.asked;
    const answer = await (answers[to] as (question: unknown) => Promise<unknown>)(question);
    answered = played.turns.length > 0 ? [answer] : [...answered, answer];
  }
  return turns;
}

/** Each question has the time of a turn. */
function createAnswers(
  deps: Pick<Deps, 'config' | 'sql' | 'log'>,
  turn: Parameters<typeof createTurnAnswers>[1],
): Answers {
  const meter = createTurnMeter(deps, turn.organizationId, turn.gateways);
  const now = () => createTurnAnswers(deps, turn, meter);
  return {
    classify: (question) => now().classify(question),
    extract: (question) => now().extract(question),
    runAgent: (spec) => now().runAgent(spec),
  };
}
