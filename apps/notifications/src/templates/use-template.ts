// A template where it is used: in a send, and in a preview.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Caller } from '@parley/http';
import type { Sql } from '@parley/postgres';
import type { ChannelName } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { TemplateProblem } from './engine.ts';
import { localeOf, type RenderedWords } from './render-template.ts';
import type { TemplateContent, TemplateUse } from './schemas.ts';
import {
  contentOf,
  findVersion,
  unknownTemplate,
  type FoundTemplate,
  type TemplateRequest,
} from './templates.ts';

export interface UsedTemplate extends RenderedWords {
  readonly locale: string;
  readonly version: number;
  /** All of the template. */
  readonly locales: readonly string[];
}

/**
 * The templates of one request: the one that was asked for last is not read again. A use is rendered once in a language, for as many
 * members of a topic as there are; each rendering has the budget of a send.
 */
export interface TemplateReader {
  /** @throws AppError invalid_request, and where it could not be rendered concurrency_limited, unavailable */
  use(
    given: TemplateUse,
    locale: string | undefined,
    channels: Iterable<ChannelName>,
    data?: object,
  ): Promise<UsedTemplate>;
}

export function templateReader(
  { renderer }: Pick<Deps, 'renderer'>,
  sql: Sql,
  organizationId: string,
): TemplateReader {
  let last: { readonly key: string; readonly found: FoundTemplate | null } | undefined;
  const known = new WeakMap<TemplateUse, Map<string, UsedTemplate>>();
  return {
    use: async (given, locale, channels, more = {}) => {
      const { id, version, data = {} } = given;
      const key = `${id} ${version}`;
      if (last?.key !== key)
        last = { key, found: await findVersion(sql, organizationId, id, version, { draft: false }) };
      const { found } = last;
      if (!found)
        throw refused({
          path: '/template/id',
          message:
            version === undefined ? 'has no published version' : `is no template with a version ${version}`,
        });
      const rendered = known.get(given) ?? new Map<string, UsedTemplate>();
      known.set(given, rendered);
      const name = localeOf(found.content, locale);
      const said = rendered.get(name);
      if (said) return said;
      try {
        const words = found.content.locales[name]!;
        const used = {
          ...(await renderer.render(organizationId, words, channels, { ...data, ...more })),
          locale: name,
          version: found.version,
          locales: Object.keys(found.content.locales),
        };
        rendered.set(name, used);
        return used;
      } catch (error) {
        if (!(error instanceof TemplateProblem)) throw error;
        throw refused({ path: error.missing ? '/template/data' : '/template', message: error.message });
      }
    },
  };
}

function refused(field: FieldProblem): AppError {
  return new AppError('invalid_request', 'the request is not valid', { fields: [field] });
}

interface PreviewRequest {
  readonly locale?: string | undefined;
  readonly data?: object | undefined;
}

/** @throws AppError not_found; unprocessable when it cannot be rendered with this data */
export async function previewTemplate(
  deps: Pick<Deps, 'sql' | 'channels' | 'renderer'>,
  caller: Caller,
  id: string,
  { version, ...request }: PreviewRequest & { readonly version?: number | undefined },
) {
  const found = await findVersion(deps.sql, caller.organizationId, id, version, { draft: true });
  if (!found) throw unknownTemplate(id, version);
  return { version: found.version, ...(await saidBy(deps, caller, found.content, request)) };
}

/** Of what nobody has saved, as saving would take it. @throws AppError invalid_request; unprocessable as above */
export async function previewDraft(
  deps: Pick<Deps, 'channels' | 'renderer'>,
  caller: Caller,
  { locale, data, ...draft }: PreviewRequest & Omit<TemplateRequest, 'publish'>,
) {
  return saidBy(deps, caller, await contentOf(deps, caller, draft), { locale, data });
}

async function saidBy(
  { channels, renderer }: Pick<Deps, 'channels' | 'renderer'>,
  { organizationId }: Caller,
  content: TemplateContent,
  { locale: wanted, data = {} }: PreviewRequest,
) {
  const locale = localeOf(content, wanted);
  try {
    const rendered = await renderer.render(organizationId, content.locales[locale]!, channels.keys(), data);
    return {
      locale,
      channels: Object.fromEntries(
        [...rendered.byChannel].map(([name, { subject, message, html }]) => [
          name,
          html === undefined ? { subject, message } : { subject, message, html },
        ]),
      ),
    };
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    throw new AppError('unprocessable', error.message);
  }
}
