// Templates of an organisation: checks their content, and reads their versions.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import { TemplateProblem } from '../rendering/engine.ts';
import { CONTENT_BYTES_MAX } from './schemas.ts';
import type { TemplateRenderer } from '../rendering/template-renderer.ts';
import { type LocaleContent, type TemplateContent, templateContent } from '../rendering/template-content.ts';
import { findVersion, getVersion, type ContentKey, type FoundVersion } from '../versions/versions.ts';

const toKey = (id: string): ContentKey => ({ kind: 'template', id });

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

export interface FoundTemplate {
  readonly version: number;
  readonly content: TemplateContent;
}

export const parseContent = (content: string): TemplateContent => templateContent.parse(JSON.parse(content));

const toFound = ({ version, content }: FoundVersion): FoundTemplate => ({
  version,
  content: parseContent(content),
});

/** Without a number the published version. */
export async function findTemplate(
  sql: Sql,
  organizationId: string,
  id: string,
  version: number | undefined,
): Promise<FoundTemplate | null> {
  const found = await findVersion(sql, organizationId, toKey(id), version, { draft: false });
  return found && toFound(found);
}

/** Without a number the published version, else the latest. @throws AppError not_found */
export async function readTemplate(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  id: string,
  version: number | undefined,
): Promise<FoundTemplate> {
  return toFound(await getVersion(deps, caller, toKey(id), version));
}
