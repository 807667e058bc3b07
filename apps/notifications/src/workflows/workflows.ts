// Workflows of an organisation: checks their content, and reads their versions.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { findTemplate } from '../templates/templates.ts';
import { isNeverAllowed } from '../timing/quiet-hours.ts';
import { findVersion, type ContentKey } from '../versions/versions.ts';
import { workflowSchemas, type WorkflowContent, type WorkflowRequest } from './schemas.ts';

const toKey = (id: string): ContentKey => ({ kind: 'workflow', id });

/** @throws AppError invalid_request with what the schema cannot see */
export async function toContent(
  sql: Sql,
  { organizationId }: Caller,
  { publish: _publish, ...content }: WorkflowRequest,
): Promise<WorkflowContent> {
  const fields = await findProblems(sql, organizationId, content);
  if (fields.length > 0) throw new AppError('invalid_request', 'the workflow is not valid', { fields });
  return content;
}

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
