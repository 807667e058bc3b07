// The one storage module of flows: heads and the version ledger, with the invariants that keep them right.
// A head is locked before a version is appended or the pointer moved, so versions are consecutive and nothing is lost.
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { Validation } from '@parley/flow-engine';
import { notifyChanged, type Sql } from '@parley/postgres';
import type { Prisma } from '@parley/store-flow-builder';
import type { Deps, Tx } from '../deps.ts';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import { endpointUrls, isSmall } from '../heavy/small.rules.ts';
import { FLOWS_CHANNEL, flowKey, type FlowKey } from './runnable-flows.ts';

/** A definition that was parsed and validated, ready to be stored. */
export interface CheckedDefinition {
  readonly name: string;
  readonly document: Prisma.InputJsonObject;
  readonly validation: Validation;
  readonly hash: string;
}

/**
 * Parses and validates a definition (spec flow-builder §1), a large one in a thread.
 * @throws AppError invalid_request when it is not a definition, limit_exceeded when it is too large. A definition with
 *   errors is no refusal here: whether it may be stored is for the use case to say.
 */
export async function checkDefinition(
  deps: Pick<Deps, 'heavyWork' | 'validationRules'>,
  document: Record<string, unknown>,
  identity: FlowKey & { name?: string | undefined },
): Promise<CheckedDefinition> {
  const validation = await validateDefinition(deps, identity.organizationId, document);
  const authored = document['name'];
  const name = identity.name ?? nameWithin(typeof authored === 'string' ? authored : null) ?? identity.flowId;
  return { name, document: document as Prisma.InputJsonObject, validation, hash: hashOf(name, document) };
}

/** @throws AppError invalid_request, limit_exceeded, request_too_costly */
export async function validateDefinition(
  { heavyWork, validationRules: { stepsMax, allowsUrl } }: Pick<Deps, 'heavyWork' | 'validationRules'>,
  organizationId: string,
  definition: unknown,
): Promise<Validation> {
  const urls = [...new Set(endpointUrls(definition))];
  const allowedUrls = urls.filter((url) => allowsUrl?.(new URL(url)) === true);
  const input = { definition, stepsMax, allowedUrls };
  return isSmall(definition) ? heavyJobs.validate(input) : heavyWork.run(organizationId, 'validate', input);
}

/** @throws AppError flow_has_errors when the validation found any; create and publish demand this. */
export function refuseErrors(validation: unknown): void {
  if ((validation as Validation).valid) return;
  throw new AppError('flow_has_errors', 'the definition has errors', { details: { validation } });
}

/** Blank names in a document are no names; longer ones are cut to what a name may be. */
function nameWithin(name: string | null): string | undefined {
  return name?.trim().slice(0, 255) || undefined;
}

/** Of what the author wrote, in the order it was written: two documents are equal when their texts are. */
function hashOf(name: string, document: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([name, document]))
    .digest('hex');
}

/** The entity tag of a version (RFC 9110 §8.8.3), as it stands in ETag, If-Match and `etag`. */
export function etagOf(version: { version: number; hash: string }): string {
  return `"${version.version}-${version.hash.slice(0, 16)}"`;
}

/** @throws AppError not_found */
export async function getHead(tx: Tx, key: FlowKey) {
  const head = await tx.flow.findUnique({ where: { organizationId_flowId: key } });
  if (!head) throw noFlow(key.flowId);
  return head;
}

/** Locks the head until the transaction ends, then reads it. @throws AppError not_found */
export async function lockHead(tx: Tx, sql: Sql, key: FlowKey) {
  await sql('SELECT 1 AS one FROM flows WHERE organization_id = $1 AND flow_id = $2 FOR UPDATE', [
    key.organizationId,
    key.flowId,
  ]);
  return getHead(tx, key);
}

/** @throws AppError not_found */
export async function getVersion(tx: Tx, key: FlowKey, version: number) {
  const found = await tx.flowVersion.findUnique({
    where: { organizationId_flowId_version: { ...key, version } },
  });
  if (!found) throw new AppError('not_found', `flow "${key.flowId}" has no version ${version}`);
  return found;
}

export function noFlow(flowId: string): AppError {
  return new AppError('not_found', `there is no flow "${flowId}"`);
}

/**
 * Makes the head of a new flow with its version 1.
 * @returns false when the flow exists already; then nothing was written.
 */
export async function insertFlow(
  tx: Tx,
  sql: Sql,
  key: FlowKey,
  checked: CheckedDefinition,
  by: { principal: string; nowMs: number },
): Promise<boolean> {
  const now = new Date(by.nowMs);
  // ON CONFLICT waits for a concurrent insert of the same flow to commit, and does not fail the transaction.
  const inserted = await sql(
    `INSERT INTO flows (organization_id, flow_id, name, latest_version, latest_valid, created_at, updated_at)
     VALUES ($1, $2, $3, 1, $4::int, $5, $5) ON CONFLICT DO NOTHING RETURNING 1 AS one`,
    [key.organizationId, key.flowId, checked.name, checked.validation.valid ? 1 : null, now],
  );
  if (inserted.length === 0) return false;
  await tx.flowVersion.create({ data: versionRow(key, 1, checked, by) });
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key)); // that it did not exist may be remembered
  return true;
}

/** Appends the next version. The caller holds the head's lock. */
export async function appendVersion(
  tx: Tx,
  sql: Sql,
  key: FlowKey,
  head: { latestVersion: number; latestValid: number | null },
  checked: CheckedDefinition,
  by: { principal: string; nowMs: number; note?: string | undefined },
): Promise<void> {
  const version = head.latestVersion + 1;
  await tx.flowVersion.create({ data: versionRow(key, version, checked, by) });
  await tx.flow.update({
    where: { organizationId_flowId: key },
    data: {
      name: checked.name,
      latestVersion: version,
      latestValid: checked.validation.valid ? version : head.latestValid,
      updatedAt: new Date(by.nowMs),
    },
  });
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key));
}

function versionRow(
  key: FlowKey,
  version: number,
  checked: CheckedDefinition,
  by: { principal: string; nowMs: number; note?: string | undefined },
) {
  return {
    ...key,
    version,
    name: checked.name,
    definition: checked.document,
    validation: checked.validation as unknown as Prisma.InputJsonObject,
    valid: checked.validation.valid,
    hash: checked.hash,
    note: by.note ?? null,
    createdAt: new Date(by.nowMs),
    createdBy: by.principal,
  };
}

/** Points production at `version`, or at nothing (null), and keeps who did it and when. The caller holds the lock. */
export async function movePointer(
  tx: Tx,
  sql: Sql,
  key: FlowKey,
  version: number | null,
  by: { principal: string; nowMs: number; id: string; skipTests?: boolean; reason?: string | undefined },
) {
  const now = new Date(by.nowMs);
  await tx.flowPublication.create({
    data: {
      id: by.id,
      ...key,
      version,
      skipTests: by.skipTests ?? false,
      reason: by.reason ?? null,
      publishedAt: now,
      publishedBy: by.principal,
    },
  });
  const head = await tx.flow.update({
    where: { organizationId_flowId: key },
    data: { publishedVersion: version, publishedAt: version === null ? null : now },
  });
  await notifyChanged(sql, FLOWS_CHANNEL, flowKey(key));
  return head;
}
