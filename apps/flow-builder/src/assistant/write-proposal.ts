// POST /v1/flows/{flow_id}/assistant: a model proposes edits of a draft, and answers what checks
// find before the author sees it (docs/assistant.md). It has no tools and changes nothing.
import { AppError } from '@parley/envelopes';
import type { z } from 'zod';
import type { TestFailure } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { SOON, type Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { Assistant } from '../gateways/assistant.ts';
import type { ChatMessage } from '../gateways/completion.ts';
import { failureTexts, isFailureOfProvider, type GatewayFailure } from '../gateways/failures.ts';
import type { Meter } from '../gateways/meter.ts';
import { createTurnMeter } from '../turns/run-turn.ts';
import { getHead } from '../versions/version-ledger.ts';
import { applyEdits, edits, editsSchema } from './edits.rules.ts';
import { hideHeaders } from './hidden-headers.ts';
import { presentProposal, type Sound } from './present-proposal.ts';
import { createMessages, createReview } from './prompt.ts';
import { checkDraft, playTest, reviewProposal, type Request } from './review-proposal.ts';
import type { ProposalRequest } from './schemas.ts';

type AssistantDeps = Pick<
  Deps,
  'sql' | 'log' | 'clock' | 'config' | 'heavyWork' | 'validationRules' | 'gateways'
>;

/** Answers of the model for one request. */
const ROUNDS_MAX = 4;
/** From the start of the request to the last answer: a console waits 60 s for the response. */
const MODEL_MS_MAX = 42_000;
/** An answer takes at least this long. With less time left there is no further round. */
const ROUND_MS_MIN = 3_000;
/** JSON of a draft: with the answer it fits into the context of usual models. */
const DRAFT_CHARACTERS_MAX = 128 * 1024;
/** Requests of one organisation at once, in a process. */
const RUNNING_MAX = 2;

export const NOT_CONFIGURED =
  'The assistant needs a provider of models. An administrator can add one on the page Models of the console.';

/** @throws AppError of each use case that it checks the proposal with, and of the provider */
export function createProposalWriter(deps: AssistantDeps) {
  const running = new Map<string, number>();
  return async (caller: Caller, flowId: string, body: ProposalRequest) => {
    const { organizationId } = caller;
    const count = running.get(organizationId) ?? 0;
    if (count >= RUNNING_MAX)
      throw new AppError(
        'concurrency_limited',
        'the assistant already works on requests of the organisation',
        SOON,
      );
    running.set(organizationId, count + 1);
    try {
      return await writeProposal(deps, caller, flowId, body);
    } finally {
      const left = running.get(organizationId)! - 1;
      if (left === 0) running.delete(organizationId);
      else running.set(organizationId, left);
    }
  };
}

async function writeProposal(deps: AssistantDeps, caller: Caller, flowId: string, body: ProposalRequest) {
  const deadline = performance.now() + MODEL_MS_MAX;
  const { organizationId } = caller;
  const key = { organizationId, flowId };
  await getHead(deps.sql, key);
  const gateways = await deps.gateways.get(organizationId);
  const { assistant } = gateways;
  if (assistant === null) throw refuse('not_configured', NOT_CONFIGURED);
  const draft = readDraft(body.definition);
  const before = await checkDraft(deps, caller, key, draft);
  const { instruction, test } = body;
  const request = { caller, key, instruction, draft, test, before };
  const meter = createTurnMeter(deps, organizationId, gateways);
  const failures =
    test && before.played.validation.valid ? await playTest(deps, key, test, before.played) : [];
  const isPassed = test !== undefined && before.played.validation.valid && failures.length === 0;
  const result = isPassed
    ? NOTHING_TO_MEND
    : await converse(deps, assistant, meter, { ...request, failures, deadline });
  const usage = meter.total() ?? null;
  const { rounds } = result;
  const logged = {
    organization_id: organizationId,
    flow_id: flowId,
    rounds,
    proposed: result.proposal !== null,
  };
  deps.log.info(logged, 'assistant.answered');
  return { flow_id: flowId, ...result, usage };
}

/** @throws AppError limit_exceeded */
function readDraft(definition: Readonly<Record<string, unknown>>): AuthoredFlow {
  if (JSON.stringify(definition).length > DRAFT_CHARACTERS_MAX) {
    const message = `the assistant takes drafts of at most ${DRAFT_CHARACTERS_MAX} characters; move parts to flows that this one calls`;
    throw new AppError('limit_exceeded', message);
  }
  return definition as unknown as AuthoredFlow;
}

interface Task extends Request {
  /** Of the test with the draft. */
  readonly failures: readonly TestFailure[];
  readonly deadline: number;
}

/**
 * Asks until an attempt has neither errors nor new doubts, or rounds or time are used up. Doubts
 * are returned to the model once: then the last attempt without errors is the proposal.
 */
async function converse(deps: AssistantDeps, assistant: Assistant, meter: Meter, request: Task) {
  const headers = hideHeaders(request.draft);
  const { instruction, test, before, failures, deadline } = request;
  const { validation } = before.played;
  const messages = createMessages({
    instruction,
    draft: headers.masked,
    validation,
    test: test ? { test, failures } : null,
  });
  let problems: readonly string[] = [];
  let sound: Sound | null = null;
  let message = UNMENDED;
  let rounds = 0;
  while (rounds < ROUNDS_MAX && (rounds === 0 || deadline - performance.now() > ROUND_MS_MIN)) {
    const answer = await ask(assistant, messages, meter, deadline, rounds > 0);
    if (answer.kind === 'failed') {
      message = answer.message;
      break;
    }
    rounds += 1;
    const read = readAttempt(headers, answer.value);
    if ('cannot' in read) {
      message = read.cannot;
      break;
    }
    const review = 'problems' in read ? null : await reviewProposal(deps, request, read.definition);
    const wasAsked = sound !== null;
    if ('definition' in read && review!.errors.length === 0) {
      sound = { ...read, review: review! };
      if (wasAsked || review!.doubts.length === 0) break;
    }
    problems = 'problems' in read ? read.problems : [...review!.errors, ...review!.doubts];
    messages.push(...createReview(answer.text, problems));
  }
  if (sound === null) return { proposal: null, message, problems, rounds };
  const proposal = await presentProposal(deps, request, sound);
  return { proposal, message: null, problems: sound.review.doubts, rounds };
}

const NOTHING_TO_MEND = {
  proposal: null,
  message: 'The draft passes the test already. Change what the test expects, or ask without a test.',
  problems: [],
  rounds: 0,
};

const UNMENDED =
  'The model could not mend what the checks found, so the draft stays as it is. Ask for less at once, or use a stronger model.';

/** A failure after the first round is part of the answer: problems are known by then. */
async function ask(
  assistant: Assistant,
  messages: readonly ChatMessage[],
  meter: Meter,
  deadline: number,
  isLater: boolean,
) {
  const timeoutMs = Math.max(1, deadline - performance.now());
  const answer = await assistant.ask({ messages, answerSchema: editsSchema, timeoutMs, meter });
  if (answer.kind === 'answer') return answer;
  const { failure } = answer;
  const message = `The model gave no answer (${failure}). ${failureTexts[failure]}`;
  if (isLater || isOfText.has(failure)) return { kind: 'failed' as const, message };
  throw refuseProvider(assistant, failure, message);
}

/** The model answered, and the answer is of no use. */
const isOfText: ReadonlySet<GatewayFailure> = new Set<GatewayFailure>(['refused', 'truncated', 'nonsense']);

/** Who configured the provider can mend its failure: the organisation, or the operator. */
function refuseProvider({ isOwn }: Assistant, failure: GatewayFailure, message: string): AppError {
  if (isOwn || !isFailureOfProvider(failure)) return refuse(failure, message);
  return new AppError('unavailable', message, { ...SOON, details: { reason: failure } });
}

const refuse = (reason: GatewayFailure | 'not_configured', message: string): AppError =>
  new AppError('unprocessable', message, { details: { reason } });

type Read =
  | { readonly cannot: string }
  | { readonly problems: readonly string[] }
  | { readonly definition: AuthoredFlow; readonly summary: string };

function readAttempt(headers: ReturnType<typeof hideHeaders>, value: unknown): Read {
  const { data: answer, error } = edits.safeParse(value);
  if (answer === undefined)
    return { problems: [`The answer is not one JSON object of edits: ${describe(error)}.`] };
  if (answer.cannot !== null) return { cannot: answer.cannot };
  const { definition, left } = headers.restore(applyEdits(headers.masked, answer));
  if (left.length === 0) return { definition, summary: answer.summary };
  return {
    problems: left.map(
      (id) =>
        `The node "${id}" has credentials, which go to no other address. Keep its url, or set its headers to null.`,
    ),
  };
}

const describe = ({ issues: [first] }: z.ZodError): string => `/${first?.path.join('/')} ${first?.message}`;
