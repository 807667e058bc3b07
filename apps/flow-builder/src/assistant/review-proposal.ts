// Checks an attempt of the model: addresses, validation, stored tests and the test of the request.
// `problems` go back to the model; only an attempt without errors is a proposal.
import { AppError } from '@parley/envelopes';
import type { Validation } from '@parley/flow-analysis';
import { limits, type AuthoredFlow } from '@parley/flow-engine';
import type { Caller } from '@parley/server/http';
import { checkSentVersion, type PlayedVersion } from '../conversations/played-version.ts';
import type { ConversationTest } from '../conversations/schemas.ts';
import { maskFailure, runTests, type TestRun } from '../conversations/stored-tests.ts';
import { createMask } from '../credentials/mask.ts';
import type { Deps } from '../deps.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';
import { findNewAddresses, findOutsideEffects, listStrings, type OutsideEffect } from './outside.rules.ts';

export type ReviewDeps = Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;

export interface Request {
  readonly caller: Caller;
  readonly key: FlowKey;
  readonly instruction: string;
  readonly draft: AuthoredFlow;
  readonly test: ConversationTest | undefined;
  /** Of the draft. */
  readonly before: Checked;
}

/** A definition with what validation and tests say of it. */
export interface Checked {
  readonly played: PlayedVersion & { readonly validation: Validation };
  readonly tests: TestRun;
}

export interface Review {
  /** The attempt must not be handed over. */
  readonly errors: readonly string[];
  /** The author decides; the model is asked about them once. */
  readonly doubts: readonly string[];
  /** null: the attempt is no definition, or has forbidden addresses. */
  readonly checked: Checked | null;
  readonly outside: readonly OutsideEffect[];
}

/** @throws AppError of the service; what is wrong with the definition is part of the review */
export async function reviewProposal(
  deps: ReviewDeps,
  request: Request,
  proposed: AuthoredFlow,
): Promise<Review> {
  const outside = findOutsideEffects(request.draft, proposed);
  const refused = refuseOutside(request, proposed, outside);
  if (refused.length > 0) return { errors: refused, doubts: [], checked: null, outside };
  const checked = await checkDefinition(deps, request, proposed);
  if (Array.isArray(checked)) return { errors: checked, doubts: [], checked: null, outside };
  const { validation } = checked.played;
  const errors = validation.errors.map(describeFinding);
  const failed = errors.length > 0 ? [] : await playGiven(deps, request, checked.played);
  return { errors: [...errors, ...failed], doubts: findDoubts(request, checked), checked, outside };
}

/**
 * Tests run only on a definition without errors.
 * @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly
 */
export async function checkDraft(
  deps: ReviewDeps,
  caller: Caller,
  key: FlowKey,
  draft: AuthoredFlow,
): Promise<Checked> {
  const definition = draft as Readonly<Record<string, unknown>>;
  const played = await checkSentVersion(deps, key, definition);
  const tests = played.validation.valid
    ? await runTests(deps, caller, key.flowId, { version: undefined, definition })
    : { version: null, passed: 0, failed: 0, results: [] };
  return { played, tests };
}

/** What differs from the test of the request; empty: it passes, or there is none. */
export async function playGiven(
  deps: ReviewDeps,
  { key, test }: Pick<Request, 'key' | 'test'>,
  played: PlayedVersion,
) {
  if (test === undefined) return [];
  const failures = await playTest(deps, key, test, played);
  return failures.map(
    ({ path, expected, actual }) =>
      `The test of the request fails at ${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}.`,
  );
}

export async function playTest(
  deps: ReviewDeps,
  key: FlowKey,
  test: ConversationTest,
  played: PlayedVersion,
) {
  const { playable, bounds } = played;
  const playing = { nowMs: deps.clock(), stepsMax: limits.stepsMax, stepsProvedMax: bounds.stepsProvedMax };
  const input = { ...playable, tests: [{ name: 'given', test }], playing };
  const [result] = await deps.heavyWork.run(key.organizationId, 'test', input);
  const mask = createMask();
  return (result?.failures ?? []).map((failure) => maskFailure(mask, failure));
}

function refuseOutside(
  { instruction, draft, test }: Request,
  proposed: AuthoredFlow,
  outside: readonly OutsideEffect[],
) {
  const addresses = findNewAddresses([draft, instruction], proposed).map(
    ({ node_id, address }) =>
      `${node_id === null ? 'The flow' : `The node "${node_id}"`} names "${address}", which neither the instruction nor the draft has. Remove it.`,
  );
  if (test === undefined) return addresses;
  const known = new Set(listStrings(draft));
  const effects = outside
    .filter(({ kind, to, node_id }) => {
      const isNamed = instruction.includes(to) || instruction.includes(node_id ?? '');
      return kind !== 'text' && !isNamed && !(kind === 'handoff' && known.has(to));
    })
    .map(
      ({ node_id, kind, to, change }) =>
        `The ${kind} "${to}" of the node "${node_id}" is ${change}, and the instruction does not name it. Leave it as it is in the draft.`,
    );
  return [...addresses, ...effects];
}

/** The problems, when it is no definition. */
async function checkDefinition(
  deps: ReviewDeps,
  { caller, key }: Request,
  proposed: AuthoredFlow,
): Promise<Checked | string[]> {
  try {
    return await checkDraft(deps, caller, key, proposed);
  } catch (error) {
    if (!(error instanceof AppError) || !isOfDefinition.has(error.code)) throw error;
    const places = error.fields.map(({ path, message }) => `${path}: ${message}`);
    return places.length > 0 ? places : [error.message];
  }
}

const isOfDefinition: ReadonlySet<string> = new Set([
  'invalid_request',
  'limit_exceeded',
  'request_too_costly',
]);

/** New warnings, and stored tests that passed before. */
function findDoubts({ before }: Request, { played: { validation }, tests }: Checked): string[] {
  const known = new Set(before.played.validation.warnings.map(({ code, node_id }) => `${code} ${node_id}`));
  const warnings = validation.warnings.filter(({ code, node_id }) => !known.has(`${code} ${node_id}`));
  const passed = new Set(before.tests.results.filter((one) => one.passed).map(({ name }) => name));
  const mask = createMask();
  const broken = tests.results
    .filter((one) => !one.passed && passed.has(one.name))
    .map(({ name, failures: [first] }) => ({ name, first: first && maskFailure(mask, first) }));
  return [
    ...warnings.map(describeFinding),
    ...broken.map(
      ({ name, first }) =>
        `The stored test "${name}" passed with the draft and fails at ${first?.path}: expected ${JSON.stringify(first?.expected)}, got ${JSON.stringify(first?.actual)}.`,
    ),
  ];
}

const describeFinding = ({ message, path, hint }: Validation['errors'][number]): string =>
  `${path}: ${message} ${hint}`;
