// Uses a template in a send or a preview.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { ChannelName } from '@parley/jobs';
import type { Deps } from '../deps.ts';
import { TemplateProblem } from '../rendering/engine.ts';
import { chooseLocale, LINK_PLACEHOLDERS, type RenderedTexts } from '../rendering/render-template.ts';
import type { TemplateUse } from './schemas.ts';
import {
  findTemplate,
  readTemplate,
  toContent,
  type FoundTemplate,
  type TemplateRequest,
} from './templates.ts';
import { toTemplateRecipient, type TemplateRecipient } from '../people/template-recipient.ts';
import { loadPartials } from './load-partials.ts';
import type { Partials } from '../rendering/partials.rules.ts';
import type { LocaleContent, TemplateContent } from '../rendering/template-content.ts';
import { createSampleRecipient, readsRecipient } from './sample-recipient.rules.ts';

export interface UsedTemplate extends RenderedTexts {
  readonly locale: string;
  readonly version: number;
  /** All locales of the template. */
  readonly locales: readonly string[];
  /** It reads the recipient, so its texts are for one person only. */
  readonly isPersonal: boolean;
}

/** For whom a template is rendered. */
export interface TemplatePerson {
  readonly recipient: TemplateRecipient;
  /** Stands for each member of a topic: has what the template reads. */
  readonly isSample: boolean;
}

/**
 * Renders once for each language, so members of a topic share it, unless the template reads the
 * recipient. Each rendering has a send's budget.
 */
export interface TemplateReader {
  /** @throws AppError invalid_request, concurrency_limited, unavailable */
  use(
    given: TemplateUse,
    locale: string | undefined,
    channels: Iterable<ChannelName>,
    person: TemplatePerson | undefined,
    data?: object,
  ): Promise<UsedTemplate>;
}

export function createTemplateReader(
  { renderer }: Pick<Deps, 'renderer'>,
  sql: Sql,
  organizationId: string,
): TemplateReader {
  let last: { readonly key: string; readonly found: FoundTemplate | null } | undefined;
  const known = new WeakMap<TemplateUse, Map<string, UsedTemplate>>();
  let lastPartials: { readonly of: LocaleContent; readonly loaded: Partials } | undefined;
  const loadOnce = async (of: LocaleContent, locale: string): Promise<Partials> => {
    if (lastPartials?.of !== of)
      lastPartials = { of, loaded: await loadPartials(sql, organizationId, of, locale) };
    return lastPartials.loaded;
  };
  return {
    use: async (given, locale, channels, person, more = {}) => {
      const { id, version, data = {} } = given;
      const key = `${id} ${version}`;
      if (last?.key !== key) last = { key, found: await findTemplate(sql, organizationId, id, version) };
      const { found } = last;
      if (!found)
        throw createRefusal({
          path: '/template/id',
          message:
            version === undefined ? 'has no published version' : `is not a template with version ${version}`,
        });
      const rendered = known.get(given) ?? new Map<string, UsedTemplate>();
      known.set(given, rendered);
      const name = chooseLocale(found.content, locale);
      const cached = rendered.get(name);
      if (cached) return cached;
      try {
        const texts = found.content.locales[name]!;
        const partials = await loadOnce(texts, name);
        const sources = [texts, ...Object.values(partials)];
        const isPersonal = sources.some(readsRecipient) && !('recipient' in data);
        const all = { ...(isPersonal ? toRecipientData(sources, person) : {}), ...data, ...more };
        const used: UsedTemplate = {
          ...(await renderer.render(organizationId, texts, channels, all, partials)),
          locale: name,
          version: found.version,
          locales: Object.keys(found.content.locales),
          isPersonal,
        };
        if (!isPersonal) rendered.set(name, used);
        return used;
      } catch (error) {
        if (!(error instanceof TemplateProblem)) throw error;
        throw createRefusal({ path: error.missing ? '/template/data' : '/template', message: error.message });
      }
    },
  };
}

/** Without a person the template's use of `recipient` is missing data. */
function toRecipientData(texts: readonly LocaleContent[], person: TemplatePerson | undefined): object {
  if (!person) return {};
  const { recipient, isSample } = person;
  return { recipient: isSample ? createSampleRecipient(texts, recipient) : recipient };
}

function createRefusal(field: FieldProblem): AppError {
  return new AppError('invalid_request', 'the request is not valid', { fields: [field] });
}

interface PreviewRequest {
  readonly locale?: string | undefined;
  readonly data?: object | undefined;
}

/** @throws AppError not_found; unprocessable when it does not render with this data */
export async function previewTemplate(
  deps: Pick<Deps, 'sql' | 'channels' | 'renderer'>,
  caller: Caller,
  id: string,
  { version, ...request }: PreviewRequest & { readonly version?: number | undefined },
) {
  const found = await readTemplate(deps, caller, id, version);
  return { version: found.version, ...(await renderPreview(deps, caller, found.content, request)) };
}

/** With the checks of saving. @throws AppError invalid_request; unprocessable as above */
export async function previewDraft(
  deps: Pick<Deps, 'sql' | 'channels' | 'renderer'>,
  caller: Caller,
  { locale, data, ...draft }: PreviewRequest & Omit<TemplateRequest, 'publish'>,
) {
  return renderPreview(deps, caller, await toContent(deps, caller, draft), { locale, data });
}

async function renderPreview(
  { sql, channels, renderer }: Pick<Deps, 'sql' | 'channels' | 'renderer'>,
  { organizationId }: Caller,
  content: TemplateContent,
  { locale: wanted, data = {} }: PreviewRequest,
) {
  const locale = chooseLocale(content, wanted);
  try {
    const texts = content.locales[locale]!;
    // Nobody receives a preview: samples stand for the recipient and for links.
    const partials = await loadPartials(sql, organizationId, texts, locale);
    const sources = [texts, ...Object.values(partials)];
    const recipient = createSampleRecipient(sources, toTemplateRecipient('[id]', undefined));
    const all = { recipient, ...LINK_PLACEHOLDERS, ...data };
    const rendered = await renderer.render(organizationId, texts, channels.keys(), all, partials);
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
