// POST /v1/flows/{flow_id}/simulate: a whole conversation against any version, without side effects: nothing is reported,
// no tool is called, autonomous nodes are only dispatched.
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import {
  HERE_MS,
  simulate,
  type Conversation,
  type HeavyOutput,
  type Simulated,
} from '../heavy/heavy-jobs.ts';
import { ANSWER_BYTES_MAX } from '../heavy/job-parts.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { turnBounds } from './execute-turn.ts';
import { liveAnswers } from './live-answers.ts';
import type { Answers } from './drive-turn.ts';
import type { SimulateRequest } from './schemas.ts';
import { shownTo } from './shown-to.ts';
import { getHead } from './version-ledger.ts';

/**
 * An opening turn (unless the conversation is resumed at `current_node`), then one turn an utterance, until the flow ends.
 * @throws AppError not_found, flow_has_errors, unknown_node, turn_did_not_settle, turn_too_costly, limit_exceeded,
 *   request_too_costly
 */
export async function simulateFlow(
  deps: Pick<Deps, 'sql' | 'runnableFlows' | 'gateways' | 'clock' | 'config' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  input: SimulateRequest & { trace: boolean },
) {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const version = input.version ?? head.latestVersion;
  const runnable = await deps.runnableFlows.getValidVersion(key, version);

  const { utterances, current_node: currentNode = null, variables = {}, trace } = input;
  const turn = {
    ...turnBounds(deps, runnable),
    agentMode: 'out_of_band' as const,
    currentNode,
    variables,
    nowMs: deps.clock(),
    trace,
  };
  const conversation = {
    utterances: currentNode === null ? [null, ...utterances] : utterances,
    turn,
    bytesLeft: ANSWER_BYTES_MAX,
  };
  const answers = eachTurnAnswered(deps, caller.organizationId);
  const { definition } = runnable.compiled.model;
  const here = isSmall([definition, utterances, variables])
    ? await simulate(runnable.compiled, conversation, answers, HERE_MS)
    : { turns: [], left: conversation };
  const there = here.left
    ? await simulateThere(deps.heavyWork, caller.organizationId, definition, here.left, answers)
    : [];
  const shown = shownTo(caller);
  const turns = [...here.turns, ...there].map((played) => ({
    ...played,
    actions: shown.actions(played.actions),
  }));
  return { flow_id: flowId, version, turns };
}

/** On threads. None waits for a model: what is asked is asked here, and then the conversation goes on where it stood. */
async function simulateThere(
  heavyWork: Deps['heavyWork'],
  organizationId: string,
  definition: unknown,
  conversation: Conversation,
  answers: Answers,
) {
  const turns = [];
  let left: Conversation | undefined = conversation;
  let answered: unknown[] = [];
  while (left) {
    const input: Simulated = { definition, conversation: left, answered };
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
  { gateways, clock, config }: Pick<Deps, 'gateways' | 'clock' | 'config'>,
  organizationId: string,
): Answers {
  const now = () => {
    const deadlineMs = clock() + config.TURN_DEADLINE * 1000;
    return liveAnswers(gateways, clock, { organizationId, sessionId: null, deadlineMs });
  };
  return {
    classify: (question) => now().classify(question),
    extract: (question) => now().extract(question),
    runAgent: (spec) => now().runAgent(spec),
  };
}
