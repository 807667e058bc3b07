// Templates of an organisation: a head with a publish pointer, and immutable versions. Lock the
// head before adding a version or moving the pointer.
import { createHash } from 'node:crypto';
import { AppError, decodeCursor, notificationsDialect, toPage, type FieldProblem } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { TemplateProblem } from '../rendering/engine.ts';
import { CONTENT_BYTES_MAX } from './schemas.ts';
import type { TemplateRenderer } from '../rendering/template-renderer.ts';
import { type LocaleContent, type TemplateContent, templateContent } from '../rendering/template-content.ts';

const { time } = notificationsDialect;

interface Head {
  readonly id: string;
  readonly latest_version: number;
  readonly published_version: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'id, latest_version, published_version, created_at, updated_at';

function toWire(head: Head) {
  return {
    template_id: head.id,
    latest_version: head.latest_version,
    published_version: head.published_version,
    created_at: time(head.created_at),
    updated_at: time(head.updated_at),
  };
}

export interface TemplateRequest {
  readonly default_locale: string;
  readonly locales: readonly (LocaleContent & { readonly locale: string })[];
  readonly publish: boolean;
}

/** @throws AppError invalid_request with every invalid part */
export async function toContent(
  { renderer }: Pick<Deps, 'renderer'>,
  { organizationId }: Caller,
  { default_locale: defaultLocale, locales }: Omit<TemplateRequest, 'publish'>,
): Promise<TemplateContent> {
  const problems: FieldProblem[] = [];
  const byName = new Map<string, LocaleContent>();
  for (const [index, { locale, ...words }] of locales.entries()) {
    const isDuplicate = [...byName.keys()].some((name) => name.toLowerCase() === locale.toLowerCase());
    if (isDuplicate) problems.push({ path: `/locales/${index}/locale`, message: 'is a duplicate' });
    byName.set(locale, words);
  }
  if (!byName.has(defaultLocale))
    problems.push({ path: '/default_locale', message: 'must be one of the locales' });
  const content = { default_locale: defaultLocale, locales: Object.fromEntries(byName) };
  if (Buffer.byteLength(JSON.stringify(content)) > CONTENT_BYTES_MAX)
    problems.push({ path: '/locales', message: `must have at most ${CONTENT_BYTES_MAX} bytes as JSON` });
  if (problems.length === 0) problems.push(...(await checkParts(renderer, organizationId, content)));
  if (problems.length > 0)
    throw new AppError('invalid_request', 'the template is not valid', { fields: problems });
  return content;
}

async function checkParts(
  renderer: TemplateRenderer,
  organizationId: string,
  { locales }: TemplateContent,
): Promise<FieldProblem[]> {
  try {
    return await renderer.check(organizationId, Object.values(locales));
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return [{ path: '/locales', message: error.message }];
  }
}

/** Equal content does not create a version. @throws AppError invalid_request, limit_exceeded */
export async function saveTemplate(deps: Deps, caller: Caller, id: string, request: TemplateRequest) {
  const content = JSON.stringify(await toContent(deps, caller, request));
  const hash = createHash('sha256').update(content).digest();
  const { organizationId } = caller;
  const now = new Date(deps.clock());
  return inTransaction(deps.pool, async (sql) => {
    const created = await sql(
      `INSERT INTO templates (organization_id, id, latest_version, created_at, updated_at) VALUES ($1, $2, 0, $3, $3)
       ON CONFLICT DO NOTHING RETURNING 1 AS one`,
      [organizationId, id, now],
    );
    const head = await lockHead(sql, organizationId, id);
    const [latest] = await sql<{ hash: Buffer }>(
      'SELECT hash FROM template_versions WHERE organization_id = $1 AND template_id = $2 AND version = $3',
      [organizationId, id, head.latest_version],
    );
    const version = latest?.hash.equals(hash) ? head.latest_version : head.latest_version + 1;
    if (version > head.latest_version) {
      await deps.limits.caps.refuseBeyond(organizationId, 'versions_per_template', version);
      await sql(
        `INSERT INTO template_versions (organization_id, template_id, version, content, hash, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [organizationId, id, version, content, hash, caller.principal, now],
      );
    }
    if (created.length > 0) await deps.limits.caps.added(sql, organizationId, 'templates');
    const published = request.publish ? version : head.published_version;
    const saved = await moveHead(sql, { organizationId, id }, { latest: version, published }, now);
    return new Reply({ ...toWire(saved), version }, { status: created.length > 0 ? 201 : 200 });
  });
}

/** @throws AppError not_found, also for an unknown version */
export async function publishTemplate(deps: Deps, caller: Caller, id: string, version: number | null) {
  const { organizationId } = caller;
  return inTransaction(deps.pool, async (sql) => {
    const head = await lockHead(sql, organizationId, id);
    if (version !== null && version > head.latest_version) throw unknownTemplate(id, version);
    const now = new Date(deps.clock());
    return toWire(
      await moveHead(sql, { organizationId, id }, { latest: head.latest_version, published: version }, now),
    );
  });
}

async function lockHead(sql: Sql, organizationId: string, id: string): Promise<Head> {
  const [head] = await sql<Head>(
    `SELECT ${COLUMNS} FROM templates WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
    [organizationId, id],
  );
  if (!head) throw unknownTemplate(id);
  return head;
}

async function moveHead(
  sql: Sql,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  { latest, published }: { readonly latest: number; readonly published: number | null },
  now: Date,
): Promise<Head> {
  const [head] = await sql<Head>(
    `UPDATE templates SET latest_version = $3, published_version = $4, updated_at = $5
     WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [organizationId, id, latest, published, now],
  );
  return head!;
}

export async function listTemplates(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const [after] = query.cursor === undefined ? [''] : decodeCursor(query.cursor, 'text');
  const rows = await sql<Head>(
    `SELECT ${COLUMNS} FROM templates WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3::int`,
    [organizationId, after, query.limit + 1],
  );
  return toPage(rows, query.limit, ({ id }) => [id], toWire);
}

export interface FoundTemplate {
  readonly version: number;
  readonly content: TemplateContent;
}

/** Without a number the published version, or with `draft` else the latest. */
export async function findVersion(
  sql: Sql,
  organizationId: string,
  id: string,
  version: number | undefined,
  { draft }: { readonly draft: boolean },
): Promise<(FoundTemplate & { readonly head: Head }) | null> {
  const [row] = await sql<Head & { version: number; content: string }>(
    `SELECT ${COLUMNS.replaceAll(/\b(id|created_at)\b/g, 'head.$1')}, version, content
     FROM templates AS head JOIN template_versions AS version ON version.organization_id = head.organization_id
       AND template_id = head.id
       AND version = COALESCE($3::int, published_version, CASE WHEN $4::boolean THEN latest_version END)
     WHERE head.organization_id = $1 AND head.id = $2`,
    [organizationId, id, version ?? null, draft],
  );
  if (!row) return null;
  return { head: row, version: row.version, content: templateContent.parse(JSON.parse(row.content)) };
}

/** @throws AppError not_found */
export async function getTemplate({ sql }: Pick<Deps, 'sql'>, caller: Caller, id: string, version?: number) {
  const found = await findVersion(sql, caller.organizationId, id, version, { draft: true });
  if (!found) throw unknownTemplate(id, version);
  const { default_locale: defaultLocale, locales } = found.content;
  return {
    ...toWire(found.head),
    version: found.version,
    default_locale: defaultLocale,
    locales: Object.entries(locales).map(([locale, words]) => ({ locale, ...words })),
  };
}

/** Later sends that name the template are refused. @throws AppError not_found */
export async function deleteTemplate({ sql }: Pick<Deps, 'sql'>, caller: Caller, id: string): Promise<void> {
  const deleted = await sql(
    'DELETE FROM templates WHERE organization_id = $1 AND id = $2 RETURNING 1 AS one',
    [caller.organizationId, id],
  );
  if (deleted.length === 0) throw unknownTemplate(id);
}

export function unknownTemplate(id: string, version?: number): AppError {
  const which = version === undefined ? '' : ` with a version ${version}`;
  return new AppError('not_found', `there is no template "${id}"${which}`);
}
