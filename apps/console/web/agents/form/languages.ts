// The languages that an agent may have. The first ones are those of the flow engine.
import type { Choice } from '../../ui/picker.tsx';
import { describeLanguage } from '../describe.rules.ts';

const TAGS =
  'en de fr es it pt nl sv ar bn cs da el fa fi he hi hu id ja ko nb pl ro ru ta th tr uk vi zh ' +
  'en-US en-GB en-AU en-IN de-AT de-CH fr-CA fr-CH fr-BE es-MX es-AR es-US it-CH pt-BR nl-BE zh-TW zh-HK ' +
  'bg ca et hr lt lv ms sk sl sr sw tl ur';

export const LANGUAGES: readonly Choice[] = TAGS.split(' ').map((id) => ({
  id,
  label: describeLanguage(id),
}));

/** Also a language that the list lacks, which another client of the API has set. */
export const findLanguage = (tag: string): Choice =>
  LANGUAGES.find(({ id }) => id === tag) ?? { id: tag, label: describeLanguage(tag) };
