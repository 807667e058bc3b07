// Checks a definition with the flows that it calls, and prepares it for the ledger.
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { Validation, ValidationOptions } from '@parley/flow-analysis';
import type { AuthoredFlow, PinnedCall } from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';
import type { FlowVersion } from '@parley/store-flow-builder';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import type { HeavyWork } from '../heavy/heavy-work.ts';
import { endpointOrigins, isSmall } from '../heavy/small.rules.ts';
import { readCalledVersions } from './called-versions.ts';

interface CheckDeps {
  readonly sql: Sql;
  readonly heavyWork: HeavyWork;
  readonly validationRules: ValidationOptions & {
    find(organizationId: string): Promise<Pick<ValidationOptions, 'hasExtractor' | 'models'>>;
  };
}

/** A definition with its validation. */
export interface CheckedDefinition {
  readonly document: Readonly<Record<string, unknown>>;
  readonly validation: Validation;
  /**
   * The definition that runs, with the called flows in it (docs/flow-language.md#calls); null
   * without calls.
   */
  readonly expanded: AuthoredFlow | null;
  readonly calls: readonly PinnedCall[] | null;
}

/** A definition that can be stored. */
export interface NamedDefinition extends Omit<CheckedDefinition, 'document'> {
  readonly name: string;
  /** JSON of the document. */
  readonly definition: string;
  readonly hash: string;
}

export function nameDefinition({ document, ...checked }: CheckedDefinition, name: string): NamedDefinition {
  const definition = JSON.stringify(document);
  return { ...checked, name, definition, hash: computeHash(name, definition, checked.calls) };
}

/** The validation of a stored definition stays true under any name. */
export function restoreCheck({ definition, validation, expanded, calls }: FlowVersion): CheckedDefinition {
  return {
    document: definition as Record<string, unknown>,
    validation: validation as unknown as Validation,
    expanded: expanded as AuthoredFlow | null,
    calls: calls as unknown as readonly PinnedCall[] | null,
  };
}

/**
 * Parses and validates a definition (docs/flow-language.md#definition), a large one on a thread.
 * Call it outside of transactions. The caller decides whether a definition with errors may be
 * stored.
 * @throws AppError invalid_request when it is not a definition, limit_exceeded, request_too_costly
 */
export async function validateDefinition(
  { sql, heavyWork, validationRules: { stepsMax, allowsUrl, find } }: CheckDeps,
  { organizationId, flowId }: { organizationId: string; flowId: string | null },
  document: Readonly<Record<string, unknown>>,
): Promise<CheckedDefinition> {
  const called = await readCalledVersions(sql, organizationId, document);
  const all = [document, ...Object.values(called).map(({ definition }) => definition)];
  const origins = new Set(all.flatMap((definition) => [...endpointOrigins(definition)]));
  const allowedOrigins = [...origins].filter((origin) => allowsUrl?.(new URL(origin)) === true);
  const { hasExtractor, models } = await find(organizationId);
  const input = { definition: document, flowId, called, stepsMax, allowedOrigins, hasExtractor, models };
  const found = isSmall(all)
    ? await heavyJobs.validate(input)
    : await heavyWork.run(organizationId, 'validate', input);
  return { document, ...found };
}

/** Create and publish accept no errors. @throws AppError flow_has_errors */
export function refuseErrors(validation: unknown): void {
  if ((validation as Validation).valid) return;
  throw new AppError('flow_has_errors', 'the definition has errors', { details: { validation } });
}

/** Ignores blank names and cuts long ones. */
export function readName({ name }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof name === 'string' ? name.trim().slice(0, 255) || undefined : undefined;
}

/** Hashes the text of the author, order included: documents are equal when their texts are. */
function computeHash(name: string, definition: string, calls: CheckedDefinition['calls']): string {
  const parts = [JSON.stringify(name), definition, ...(calls === null ? [] : [JSON.stringify(calls)])];
  return createHash('sha256').update(`[${parts.join()}]`).digest('hex');
}
