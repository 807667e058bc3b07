// Workflows of an organisation: checks their content, and reads and writes their versions.
import { AppError, type FieldProblem } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { findTemplate } from '../templates/templates.ts';
import { isNeverAllowed } from '../timing/quiet-hours.ts';
import {
  deleteContent,
  findVersion,
  getVersion,
  listHeads,
  publishVersion,
  saveVersion,
  toWireHead,
  type ContentKey,
  type Head,
} from '../versions/versions.ts';
import { workflowSchemas, type WorkflowContent, type WorkflowRequest } from './schemas.ts';

const toKey = (id: string): ContentKey => ({ kind: 'workflow', id });

function toWire(head: Head) {
  return { workflow_id: head.id, ...toWireHead(head) };
}

/** Equal content does not create a version. @throws AppError invalid_request, limit_exceeded */
export async function saveWorkflow(
  deps: Deps,
  caller: Caller,
  id: string,
  { publish, ...content }: WorkflowRequest,
) {
  const fields = await findProblems(deps.sql, caller.organizationId, content);
  if (fields.length > 0) throw new AppError('invalid_request', 'the workflow is not valid', { fields });
  const saved = await saveVersion(deps, caller, toKey(id), { content: JSON.stringify(content), publish });
  return new Reply({ ...toWire(saved.head), version: saved.version }, { status: saved.isNew ? 201 : 200 });
}

/** What the schema cannot see. */
async function findProblems(
  sql: Sql,
  organizationId: string,
  { template, category, quiet_hours: quiet, send_window: window }: WorkflowContent,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = [];
  if (!(await findTemplate(sql, organizationId, template.id, template.version)))
    problems.push(
      template.version === undefined
        ? { path: '/template/id', message: 'has no published version' }
        : { path: '/template/version', message: 'is not a version of the template' },
    );
  if (category !== undefined) {
    const [known] = await sql('SELECT 1 AS one FROM categories WHERE organization_id = $1 AND id = $2', [
      organizationId,
      category,
    ]);
    if (!known) problems.push({ path: '/category', message: 'is not a category of the organisation' });
  }
  // Each zone has the same hours, except around clock changes.
  if (isNeverAllowed({ timezone: 'UTC', quiet, window }))
    problems.push({ path: '/send_window', message: 'lies within quiet_hours' });
  return problems;
}

/** @throws AppError not_found, also for an unknown version */
export async function publishWorkflow(deps: Deps, caller: Caller, id: string, version: number | null) {
  return toWire(await publishVersion(deps, caller, toKey(id), version));
}

export async function listWorkflows(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  return listHeads(deps, caller, 'workflow', query, toWire);
}

/** @throws AppError not_found */
export async function getWorkflow(deps: Pick<Deps, 'sql'>, caller: Caller, id: string, version?: number) {
  const { head, version: found, content } = await getVersion(deps, caller, toKey(id), version);
  return { ...toWire(head), version: found, ...(JSON.parse(content) as WorkflowContent) };
}

/** Later sends that name the workflow are refused. @throws AppError not_found */
export async function deleteWorkflow(deps: Deps, caller: Caller, id: string): Promise<void> {
  await deleteContent(deps, caller, toKey(id));
}

export interface FoundWorkflow {
  readonly version: number;
  /** Undefined: it names a channel that this deployment does not have any more. */
  readonly content: WorkflowContent | undefined;
}

/** Without a number the published version. */
export async function findWorkflow(
  { channels }: Pick<Deps, 'channels'>,
  sql: Sql,
  organizationId: string,
  id: string,
  version: number | undefined,
): Promise<FoundWorkflow | null> {
  const found = await findVersion(sql, organizationId, toKey(id), version, { draft: false });
  if (!found) return null;
  const content = workflowSchemas(channels).content.safeParse(JSON.parse(found.content));
  return { version: found.version, content: content.data };
}
