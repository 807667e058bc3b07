// Checks a definition, with the flows that it calls, and names it for the ledger.
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { AuthoredFlow, PinnedCall, Validation, ValidationOptions } from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';
import type { FlowVersion } from '@parley/store-flow-builder';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import type { HeavyWork } from '../heavy/heavy-work.ts';
import { endpointOrigins, isSmall } from '../heavy/small.rules.ts';
import { calledVersions } from './called-versions.ts';

interface CheckDeps {
  readonly sql: Sql;
  readonly heavyWork: HeavyWork;
  readonly validationRules: ValidationOptions;
}

/** A definition with what was found of it. */
export interface CheckedDefinition {
  readonly document: Readonly<Record<string, unknown>>;
  readonly validation: Validation;
  /** What runs in place of the document, and what that calls (docs/flow-language.md#calls); null where nothing is called. */
  readonly expanded: AuthoredFlow | null;
  readonly calls: readonly PinnedCall[] | null;
}

/** Ready to be stored. */
export interface NamedDefinition extends Omit<CheckedDefinition, 'document'> {
  readonly name: string;
  /** JSON of the document. */
  readonly definition: string;
  readonly hash: string;
}

export function named({ document, ...checked }: CheckedDefinition, name: string): NamedDefinition {
  const definition = JSON.stringify(document);
  return { ...checked, name, definition, hash: hashOf(name, definition, checked.calls) };
}

/** What was found of a stored definition stays true, under any name. */
export function checkedBefore({ definition, validation, expanded, calls }: FlowVersion): CheckedDefinition {
  return {
    document: definition as Record<string, unknown>,
    validation: validation as unknown as Validation,
    expanded: expanded as AuthoredFlow | null,
    calls: calls as unknown as readonly PinnedCall[] | null,
  };
}

/**
 * Parses and validates a definition (docs/flow-language.md#definition) with what it calls, a large one in a thread. No transaction waits
 * for it.
 * @throws AppError invalid_request when it is not a definition, limit_exceeded when it is too large, request_too_costly. A
 *   definition with errors is no refusal here: whether it may be stored is for the use case to say.
 */
export async function validateDefinition(
  { sql, heavyWork, validationRules: { stepsMax, allowsUrl, hasExtractor } }: CheckDeps,
  { organizationId, flowId }: { organizationId: string; flowId: string | null },
  document: Readonly<Record<string, unknown>>,
): Promise<CheckedDefinition> {
  const called = await calledVersions(sql, organizationId, document);
  const all = [document, ...Object.values(called).map(({ definition }) => definition)];
  const origins = new Set(all.flatMap((definition) => [...endpointOrigins(definition)]));
  const allowedOrigins = [...origins].filter((origin) => allowsUrl?.(new URL(origin)) === true);
  const input = { definition: document, flowId, called, stepsMax, allowedOrigins, hasExtractor };
  const found = isSmall(all)
    ? await heavyJobs.validate(input)
    : await heavyWork.run(organizationId, 'validate', input);
  return { document, ...found };
}

/** @throws AppError flow_has_errors when the validation found any; create and publish demand this. */
export function refuseErrors(validation: unknown): void {
  if ((validation as Validation).valid) return;
  throw new AppError('flow_has_errors', 'the definition has errors', { details: { validation } });
}

/** Blank names in a document are no names; longer ones are cut to what a name may be. */
export function nameWithin({ name }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof name === 'string' ? name.trim().slice(0, 255) || undefined : undefined;
}

/** Of what the author wrote, in the order it was written: two documents are equal when their texts are. */
function hashOf(name: string, definition: string, calls: CheckedDefinition['calls']): string {
  const parts = [JSON.stringify(name), definition, ...(calls === null ? [] : [JSON.stringify(calls)])];
  return createHash('sha256').update(`[${parts.join()}]`).digest('hex');
}
