// The draft of a template: the API's shape with empty texts for missing ones. Pure.
import type { components } from '@parley/sdk/notifications';

export type Template = components['schemas']['Template'];
export type TemplateRequest = components['schemas']['TemplateRequest'];
export type Words = Template['locales'][number];
export type Draft = Pick<Template, 'default_locale' | 'locales'>;
/** Channels that can have their own text. */
export type Part = Exclude<keyof Words, 'locale' | 'subject' | 'message'>;

type Kind = 'line' | 'text' | 'html';
type Fields<P extends Part> = readonly (readonly [
  name: keyof NonNullable<Words[P]> & string,
  label: string,
  kind: Kind,
])[];

/** The compiler checks these fields against the API. */
const FIELDS: { readonly [P in Part]: Fields<P> } = {
  email: [
    ['from', 'From', 'line'],
    ['subject', 'Subject', 'line'],
    ['text', 'Text', 'text'],
    ['html', 'HTML', 'html'],
  ],
  in_app: [
    ['title', 'Title', 'line'],
    ['body', 'Body', 'text'],
  ],
  web_push: [
    ['title', 'Title', 'line'],
    ['body', 'Body', 'text'],
  ],
  chat: [['text', 'Text', 'text']],
};
export const PARTS = Object.keys(FIELDS) as [Part, ...Part[]];

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: Kind;
}

/** Without a channel: the text for all channels. */
export const fieldsOf = (part: Part | undefined): readonly Field[] =>
  part === undefined
    ? [
        { name: 'subject', label: 'Subject', kind: 'line' },
        { name: 'message', label: 'Message', kind: 'text' },
      ]
    : FIELDS[part].map(([name, label, kind]) => ({ name, label, kind }));

const texts = (words: Words, part: Part | undefined) =>
  (part === undefined ? words : (words[part] ?? {})) as Readonly<Record<string, string | undefined>>;

export const textOf = (words: Words, part: Part | undefined, name: string): string =>
  texts(words, part)[name] ?? '';

export function withText(words: Words, part: Part | undefined, name: string, text: string): Words {
  return part === undefined
    ? { ...words, [name]: text }
    : { ...words, [part]: { ...words[part], [name]: text } };
}

export const saysItsOwn = (words: Words, part: Part): boolean =>
  Object.values(texts(words, part)).some((text) => text !== undefined && text !== '');

/** Omits empty texts: such a channel uses the text of all channels. */
export function requestOf({ default_locale, locales }: Draft, publish: boolean): TemplateRequest {
  return {
    default_locale,
    locales: locales.map((words) => ({
      locale: words.locale,
      message: words.message,
      ...given(words, ['subject']),
      ...Object.fromEntries(
        PARTS.filter((part) => saysItsOwn(words, part)).map((part) => [
          part,
          given(
            texts(words, part),
            // The editor keeps headers, which it does not show.
            [...fieldsOf(part).map(({ name }) => name), 'headers'],
          ),
        ]),
      ),
    })),
    publish,
  };
}

const given = (of: object, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(of).filter(([name, text]) => names.includes(name) && text !== '' && text !== undefined),
  ) as Record<string, string>;

/** The content without `publish`. */
export function saidIn(draft: Draft): Omit<TemplateRequest, 'publish'> {
  const { publish: _publish, ...said } = requestOf(draft, false);
  return said;
}

/** Every text of every language. */
export const sourcesOf = ({ locales }: Draft): string[] =>
  locales.flatMap(({ locale: _locale, ...words }) =>
    Object.values(words)
      .flatMap((part): unknown[] => (typeof part === 'object' ? Object.values(part) : [part]))
      .filter((text) => typeof text === 'string'),
  );

export const isChanged = (draft: Draft, saved: Draft): boolean =>
  JSON.stringify(requestOf(draft, false)) !== JSON.stringify(requestOf(saved, false));

/** Adds a language as a copy of the default one, for translation. */
export function withLanguage(draft: Draft, locale: string): Draft {
  const usual = draft.locales.find((one) => one.locale === draft.default_locale) ?? draft.locales[0];
  return { ...draft, locales: [...draft.locales, { ...usual!, locale }] };
}

export const withoutLanguage = (draft: Draft, locale: string): Draft => ({
  ...draft,
  locales: draft.locales.filter((one) => one.locale !== locale),
});

export const withWords = (draft: Draft, words: Words): Draft => ({
  ...draft,
  locales: draft.locales.map((one) => (one.locale === words.locale ? words : one)),
});

/**
 * The first place that an error names: `/locales/0/email/html: …` (parsing) or `html of email: …`
 * (rendering).
 */
export function placeOf(
  message: string,
  draft: Draft,
): { readonly language?: string; readonly channel?: Part } | null {
  const parsed = /^\/locales\/(\d+)\/(\w+)/.exec(message);
  if (parsed) {
    const words = draft.locales[Number(parsed[1])];
    const channel = PARTS.find((part) => part === parsed[2]);
    return words ? { language: words.locale, ...(channel && { channel }) } : null;
  }
  const rendered = /^(?:subject|message|html)(?: of (\w+))?: /.exec(message);
  if (!rendered) return null;
  const channel = PARTS.find((part) => part === rendered[1]);
  return channel ? { channel } : {};
}
