// Templates of an organisation: checks their content, and reads and writes their versions.
import { AppError, type FieldProblem } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { TemplateProblem } from '../rendering/engine.ts';
import { CONTENT_BYTES_MAX } from './schemas.ts';
import type { TemplateRenderer } from '../rendering/template-renderer.ts';
import { type LocaleContent, type TemplateContent, templateContent } from '../rendering/template-content.ts';
import {
  deleteContent,
  findVersion,
  getVersion,
  listHeads,
  publishVersion,
  saveVersion,
  toWireHead,
  type ContentKey,
  type FoundVersion,
  type Head,
} from '../versions/versions.ts';

const toKey = (id: string): ContentKey => ({ kind: 'template', id });

function toWire(head: Head) {
  return { template_id: head.id, ...toWireHead(head) };
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
  const saved = await saveVersion(deps, caller, toKey(id), { content, publish: request.publish });
  return new Reply({ ...toWire(saved.head), version: saved.version }, { status: saved.isNew ? 201 : 200 });
}

/** @throws AppError not_found, also for an unknown version */
export async function publishTemplate(deps: Deps, caller: Caller, id: string, version: number | null) {
  return toWire(await publishVersion(deps, caller, toKey(id), version));
}

export async function listTemplates(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  return listHeads(deps, caller, 'template', query, toWire);
}

export interface FoundTemplate {
  readonly version: number;
  readonly content: TemplateContent;
}

const parseContent = ({ version, content }: FoundVersion): FoundTemplate => ({
  version,
  content: templateContent.parse(JSON.parse(content)),
});

/** Without a number the published version. */
export async function findTemplate(
  sql: Sql,
  organizationId: string,
  id: string,
  version: number | undefined,
): Promise<FoundTemplate | null> {
  const found = await findVersion(sql, organizationId, toKey(id), version, { draft: false });
  return found && parseContent(found);
}

/** Without a number the published version, else the latest. @throws AppError not_found */
export async function readTemplate(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
  version: number | undefined,
): Promise<FoundTemplate> {
  return parseContent(await getVersion(deps, caller, toKey(id), version));
}

/** @throws AppError not_found */
export async function getTemplate(deps: Pick<Deps, 'sql'>, caller: Caller, id: string, version?: number) {
  const found = await getVersion(deps, caller, toKey(id), version);
  const { default_locale: defaultLocale, locales } = parseContent(found).content;
  return {
    ...toWire(found.head),
    version: found.version,
    default_locale: defaultLocale,
    locales: Object.entries(locales).map(([locale, words]) => ({ locale, ...words })),
  };
}

/** Later sends that name the template are refused. @throws AppError not_found */
export async function deleteTemplate(deps: Deps, caller: Caller, id: string): Promise<void> {
  await deleteContent(deps, caller, toKey(id));
}
