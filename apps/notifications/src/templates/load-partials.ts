// Loads the published templates that a template renders inside of itself.
import type { Sql } from '@parley/server/postgres';
import { TemplateProblem } from '../rendering/engine.ts';
import { listPartials, PARTIAL_DEPTH_MAX, PARTIALS_MAX, type Partials } from '../rendering/partials.rules.ts';
import { chooseLocale } from '../rendering/render-template.ts';
import type { LocaleContent } from '../rendering/template-content.ts';
import { contentId } from '../versions/schemas.ts';
import { findTemplate } from './templates.ts';

/**
 * In the language of the template, as sends choose it. Runs no query without partials.
 * @throws TemplateProblem when there are too many, or one contains itself.
 */
export async function loadPartials(
  sql: Sql,
  organizationId: string,
  words: LocaleContent,
  locale: string,
): Promise<Partials> {
  const loaded = new Map<string, LocaleContent>();
  const load = async (from: LocaleContent, path: readonly string[]): Promise<void> => {
    for (const id of listPartials(from)) {
      if (path.includes(id)) throw new TemplateProblem(`the template "${id}" renders itself`);
      if (path.length >= PARTIAL_DEPTH_MAX)
        throw new TemplateProblem(`renders templates inside of more than ${PARTIAL_DEPTH_MAX} others`);
      const texts = loaded.get(id) ?? (await find(id));
      loaded.set(id, texts);
      if (loaded.size > PARTIALS_MAX)
        throw new TemplateProblem(`renders more than ${PARTIALS_MAX} other templates`);
      await load(texts, [...path, id]);
    }
  };
  const find = async (id: string): Promise<LocaleContent> => {
    const isId = contentId.safeParse(id).success;
    const found = isId && (await findTemplate(sql, organizationId, id, undefined));
    if (!found) throw new TemplateProblem(`there is no published template "${id}" to render`);
    return found.content.locales[chooseLocale(found.content, locale)]!;
  };
  await load(words, []);
  return Object.fromEntries(loaded);
}
