// POST /v1/flows/{flow_id}/simulate: a whole conversation against any version or a definition that is sent, without side effects:
// nothing is reported, no tool is called, autonomous nodes are only dispatched.
import { callerAnswer } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import {
  HERE_MS,
  simulate,
  type Conversation,
  type HeavyOutput,
  type Simulated,
  type TurnGiven,
} from '../heavy/heavy-jobs.ts';
import { ANSWER_BYTES_MAX, type Playable } from '../heavy/job-parts.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { turnBounds } from '../turns/run-turn.ts';
import { liveAnswers } from '../turns/live-answers.ts';
import type { Answers } from '../walk/turn.ts';
import type { SimulateRequest } from './schemas.ts';
import { shownTo } from '../credentials/shown-to.ts';
import { sentVersion, storedVersion, type PlayedVersion } from './played-version.ts';
import { versionHasErrors, type FlowKey } from '../versions/runnable-flows.ts';
import { refuseErrors } from '../versions/check-definition.ts';
import { getHead } from '../versions/version-ledger.ts';

/**
 * One turn after the other, until the flow ends: those of `turns`, or an opening one (unless the conversation is resumed at
 * `current_node`) and one for each utterance.
 * @throws AppError not_found, flow_has_errors, unknown_node, tool_result_mismatch, handoff_result_mismatch, turn_did_not_settle,
 *   turn_too_costly, limit_exceeded, request_too_costly
 */
export async function simulateFlow(
  deps: Pick<Deps, 'sql' | 'gateways' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>,
  caller: Caller,
  flowId: string,
  input: SimulateRequest & { trace: boolean },
) {
  const { organizationId } = caller;
  const { version, playable, bounds, compiled } = await simulatedVersion(
    deps,
    { organizationId, flowId },
    input,
  );
  const { current_node: currentNode = null, variables = {}, trace } = input;
  const turn = {
    ...turnBounds(deps, bounds),
    agentMode: 'out_of_band' as const,
    currentNode,
    variables,
    nowMs: deps.clock(),
    trace,
  };
  const conversation = {
    given: givenIn(input),
    turn,
    bytesLeft: ANSWER_BYTES_MAX,
  };
  const answers = eachTurnAnswered(deps, organizationId);
  const here = isSmall([playable, conversation.given, variables])
    ? await simulate(compiled(), conversation, answers, HERE_MS)
    : { turns: [], left: conversation };
  const there = here.left
    ? await simulateThere(deps.heavyWork, organizationId, playable, here.left, answers)
    : [];
  const shown = shownTo(caller);
  const turns = [...here.turns, ...there].map((played) => ({
    ...played,
    actions: shown.actions(played.actions),
  }));
  return { flow_id: flowId, version, turns };
}

/** A definition that is sent is held to what a stored one was: without errors. */
async function simulatedVersion(
  deps: Pick<Deps, 'sql' | 'heavyWork' | 'validationRules'>,
  key: FlowKey,
  { definition, version }: SimulateRequest,
): Promise<PlayedVersion> {
  if (definition !== undefined) {
    const sent = await sentVersion(deps, key, definition);
    refuseErrors(sent.validation);
    return sent;
  }
  const { latestVersion } = await getHead(deps.sql, key);
  const number = version ?? latestVersion;
  const stored = await storedVersion(deps.sql, key, number);
  if (!stored.valid) throw versionHasErrors(key, number);
  return stored;
}

function givenIn({ utterances = [], turns, current_node: currentNode }: SimulateRequest): TurnGiven[] {
  if (turns === undefined)
    return (currentNode == null ? [null, ...utterances] : utterances).map((userInput) => ({
      userInput,
      answer: null,
    }));
  return turns.map(({ now, variables, ...brought }) => ({
    userInput: brought.user_input ?? null,
    answer: callerAnswer(brought),
    nowMs: now === undefined ? undefined : now * 1000,
    variables,
  }));
}

/** On threads. None waits for a model: what is asked is asked here, and then the conversation goes on where it stood. */
async function simulateThere(
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
    const input: Simulated = { ...playable, conversation: left, answered };
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

/** Each question has the time that a turn has. */
function eachTurnAnswered(
  { gateways, config }: Pick<Deps, 'gateways' | 'config'>,
  organizationId: string,
): Answers {
  const now = () =>
    liveAnswers(gateways, { organizationId, sessionId: null, budgetMs: config.TURN_DEADLINE * 1000 });
  return {
    classify: (question) => now().classify(question),
    extract: (question) => now().extract(question),
    runAgent: (spec) => now().runAgent(spec),
  };
}
