// What a template says while it is written: the API's own shape, with empty texts where nothing is said. Pure.
import type { components } from '@parley/sdk/notifications';

export type Template = components['schemas']['Template'];
export type TemplateRequest = components['schemas']['TemplateRequest'];
export type Words = Template['locales'][number];
export type Draft = Pick<Template, 'default_locale' | 'locales'>;
/** Channels that may have words of their own. */
export type Part = Exclude<keyof Words, 'locale' | 'subject' | 'message'>;

type Kind = 'line' | 'text' | 'html';
type Fields<P extends Part> = readonly (readonly [
  name: keyof NonNullable<Words[P]> & string,
  label: string,
  kind: Kind,
])[];

/** Their fields; the compiler holds them against the API's description. */
const FIELDS: { readonly [P in Part]: Fields<P> } = {
  email: [
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

/** Without a part: what every channel says that has no words of its own. */
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

/** What is blank is left out: such a channel says what all of them say. */
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
            fieldsOf(part).map(({ name }) => name),
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

/** What it says, without a word about publishing. */
export function saidIn(draft: Draft): Omit<TemplateRequest, 'publish'> {
  const { publish: _publish, ...said } = requestOf(draft, false);
  return said;
}

export const isChanged = (draft: Draft, saved: Draft): boolean =>
  JSON.stringify(requestOf(draft, false)) !== JSON.stringify(requestOf(saved, false));

/** Of a language that is added: what the usual one says, to be put into it. */
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
 * Where a refusal points to, of a text that cannot be parsed (`/locales/0/email/html: …`) or rendered (`html of email: …`).
 * The first one, where there are several.
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
