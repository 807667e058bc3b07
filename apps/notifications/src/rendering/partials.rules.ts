// Pure: the templates that a template renders inside of itself (`render`).
import type { LocaleContent } from './template-content.ts';

/** By id: the texts in the language of the template that renders them. */
export type Partials = Readonly<Record<string, LocaleContent>>;

/** Different partials of one template. */
export const PARTIALS_MAX = 20;
/** A partial may render others. */
export const PARTIAL_DEPTH_MAX = 3;

const RENDERED = /\{%-?\s*render\s+(?:"([^"]*)"|'([^']*)')/g;

/** The ids that the texts name. */
export function listPartials(words: LocaleContent): string[] {
  const sources = Object.values(words).flatMap((part) =>
    typeof part === 'string' ? part : Object.values(part as Record<string, unknown>),
  );
  const ids = sources.flatMap((source) =>
    typeof source === 'string'
      ? [...source.matchAll(RENDERED)].map(([, double, single]) => double ?? single ?? '')
      : [],
  );
  return [...new Set(ids)];
}
