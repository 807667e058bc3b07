// A proposal with what its author needs to judge it: the diff, findings, tests, coverage, and what
// callers notice.
import { AppError } from '@parley/envelopes';
import { limits, type AuthoredFlow } from '@parley/flow-engine';
import { TimeoutError, within } from '@parley/server/runtime';
import { diffSent } from '../flows/diff-flow.ts';
import type { Request, Review, ReviewDeps } from './review-proposal.ts';

/** Searches that take longer are left out of the answer. */
const SEARCH_MS_MAX = 7_000;

/** An attempt whose review has no errors. */
export interface Sound {
  readonly definition: AuthoredFlow;
  readonly summary: string;
  readonly review: Review;
}

export async function presentProposal(
  deps: ReviewDeps,
  request: Request,
  { definition, summary, review: { checked, outside } }: Sound,
) {
  const { played, tests } = checked!;
  const [diff, coverage, behaviour] = await Promise.all([
    diffSent(deps, request.caller, request.draft, definition),
    orNull(countEdges(deps, request, played)),
    request.before.played.validation.valid ? orNull(compareWithDraft(deps, request, played)) : null,
  ]);
  const { validation } = played;
  return { definition, summary, diff, validation, tests, coverage, behaviour, outside };
}

type Played = NonNullable<Review['checked']>['played'];

async function countEdges({ heavyWork }: ReviewDeps, { key }: Request, { playable, bounds }: Played) {
  const searched = { ...playable, flowId: key.flowId, version: null, ...toBounds(bounds) };
  return (await heavyWork.run(key.organizationId, 'generate', searched)).edges;
}

function compareWithDraft({ heavyWork, clock }: ReviewDeps, { key, before }: Request, { playable }: Played) {
  return heavyWork.run(key.organizationId, 'compare', {
    flowId: key.flowId,
    from: { ...before.played.playable, version: 0 },
    to: { ...playable, version: null },
    tests: [],
    turns: [],
    recordedOn: {},
    nowMs: clock(),
    stepsMax: limits.stepsMax,
  });
}

const toBounds = ({ stepsProvedMax }: Played['bounds']) => ({ stepsMax: limits.stepsMax, stepsProvedMax });

/** A proposal is handed over without a figure that takes too long. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await within(work, SEARCH_MS_MAX);
  } catch (error) {
    if (error instanceof TimeoutError || (error instanceof AppError && isTooCostly.has(error.code)))
      return null;
    throw error;
  }
}

const isTooCostly: ReadonlySet<string> = new Set([
  'request_too_costly',
  'limit_exceeded',
  'concurrency_limited',
  'unavailable',
]);
