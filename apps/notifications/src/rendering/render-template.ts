// Renders a template's texts for each channel with the data of a send.
import type { ChannelName } from '@parley/jobs';
import { HTML_BYTES_MAX, MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX } from './text-limits.ts';
import { isSmallSource, parseTemplate, renderTemplate, TemplateProblem, type Format } from './engine.ts';
import { toText } from './html-text.ts';
import type { Partials } from './partials.rules.ts';
import type { Meter } from './meter.ts';
import { chooseSubject } from './subject.ts';
import type { LocaleContent, TemplateContent } from './template-content.ts';

/** The texts of a channel. */
export interface ChannelTexts {
  readonly subject: string;
  /** False when the subject is the beginning of the message. */
  readonly subjectGiven: boolean;
  readonly message: string;
  readonly html?: string | undefined;
  /** Of mail: the same for every receiver. */
  readonly mail?: MailFrame | undefined;
}

export type MailFrame = Pick<NonNullable<LocaleContent['email']>, 'from' | 'headers'>;

interface Sources {
  readonly subject: string | undefined;
  readonly message: string;
  readonly html: string | undefined;
}

/** The sources of a channel's own, which replace the common ones. */
const OWN_SOURCES: Readonly<
  Record<
    ChannelName,
    (words: LocaleContent) => { readonly [Part in keyof Sources]?: Sources[Part] | undefined }
  >
> = {
  email: ({ email }) => ({ subject: email?.subject, message: email?.text, html: email?.html }),
  chat: ({ chat }) => ({ message: chat?.text }),
  in_app: ({ in_app: item }) => ({ subject: item?.title, message: item?.body }),
  web_push: ({ web_push: push }) => ({ subject: push?.title, message: push?.body }),
  webhook: () => ({}),
};

/** The template sources for a channel, or the common ones without a channel. */
function selectSources(words: LocaleContent, channel: ChannelName | undefined): Sources {
  const own = channel === undefined ? {} : OWN_SOURCES[channel](words);
  return { subject: own.subject ?? words.subject, message: own.message ?? words.message, html: own.html };
}

/** The locale itself, else its prefixes down to the language, else the default locale. */
export function chooseLocale(
  { locales, default_locale: defaultLocale }: TemplateContent,
  wanted?: string,
): string {
  const known = new Map(Object.keys(locales).map((name) => [name.toLowerCase(), name]));
  const parts = wanted?.toLowerCase().split('-') ?? [];
  for (let count = parts.length; count > 0; count -= 1) {
    const found = known.get(parts.slice(0, count).join('-'));
    if (found !== undefined) return found;
  }
  return defaultLocale;
}

export interface RenderedTexts {
  /** Common texts, which lists show. */
  readonly common: ChannelTexts;
  readonly byChannel: ReadonlyMap<ChannelName, ChannelTexts>;
}

/**
 * Stand for the recipient's links until the message is sent or read: a link is a credential, so it
 * is never stored in the clear, and members of a topic share the text.
 */
export const LINK_PLACEHOLDERS = {
  unsubscribe_url: '[unsubscribe_url]',
  preferences_url: '[preferences_url]',
} as const;

export type LinkName = keyof typeof LINK_PLACEHOLDERS;

export function usesLink(
  { message, html = '' }: { readonly message: string; readonly html?: string | undefined },
  name: LinkName,
): boolean {
  return `${message}${html}`.includes(LINK_PLACEHOLDERS[name]);
}

/** A subject that is the beginning of the message has no link. */
function dropLinks(text: string): string {
  return Object.values(LINK_PLACEHOLDERS).reduce((rest, place) => rest.replaceAll(place, ''), text);
}

/** @throws TemplateProblem */
export function renderAll(
  words: LocaleContent,
  channels: Iterable<ChannelName>,
  given: object,
  meter: Meter,
  partials: Partials = {},
): RenderedTexts {
  const plainData = dropNulls(given);
  const bodyData = { ...LINK_PLACEHOLDERS, ...plainData };
  const done = new Map<string, string>();
  const render = (
    {
      format,
      source,
      charsMax,
      isBody,
      channel,
    }: Part & { charsMax: number; isBody: boolean; channel: ChannelName | undefined },
    what: string,
  ): string => {
    const data = isBody ? bodyData : plainData;
    // Partials may have texts for each channel.
    const key = `${format} ${charsMax} ${isBody} ${source.includes('render') ? channel : ''} ${source}`;
    const known = done.get(key);
    if (known !== undefined) return known;
    try {
      const findPartial = (id: string) => {
        const words = Object.hasOwn(partials, id) ? selectSources(partials[id]!, channel) : undefined;
        return format === 'html' ? words?.html : words?.message;
      };
      const text = renderTemplate(format, source, data, charsMax, meter, findPartial);
      done.set(key, text);
      return text;
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      throw new TemplateProblem(`${what}: ${error.message}`, error.missing);
    }
  };
  const renderChannel = (channel: ChannelName | undefined): ChannelTexts => {
    const { subject, message, html } = selectSources(words, channel);
    const of = channel === undefined ? '' : ` of ${channel}`;
    const body = (format: Format, source: string, charsMax: number) =>
      render(
        { format, source, charsMax, isBody: true, channel },
        `${format === 'html' ? 'html' : 'message'}${of}`,
      );
    const text = body('text', message, MESSAGE_CHARS_MAX);
    if (text.trim() === '') throw new TemplateProblem(`message${of}: is blank`);
    const titlePart = { format: 'text', charsMax: SUBJECT_CHARS_MAX, isBody: false, channel } as const;
    const title =
      subject === undefined ? undefined : render({ ...titlePart, source: subject }, `subject${of}`);
    const texts = { ...chooseSubject(title, dropLinks(text)), message: text };
    if (channel !== 'email' || !words.email) return texts;
    const { from, headers, text: own } = words.email;
    const mail = from === undefined && headers === undefined ? {} : { mail: { from, headers } };
    if (html === undefined) return { ...texts, ...mail };
    const page = body('html', html, HTML_BYTES_MAX);
    const made = own === undefined ? toText(page, meter) : undefined;
    return { ...texts, ...mail, message: made ?? text, html: page };
  };
  const common = renderChannel(undefined);
  return { common, byChannel: new Map([...channels].map((name) => [name, renderChannel(name)])) };
}

/** `null` is missing data, like an absent member: "Hi , your order" is an error. */
function dropNulls(given: object): object {
  const json = JSON.stringify(given);
  if (!json.includes('null')) return given;
  return JSON.parse(json, (_name, value: unknown) => value ?? undefined) as object;
}

interface Part {
  readonly format: Format;
  readonly source: string;
}

function listParts(words: LocaleContent): (Part & { readonly path: string })[] {
  const parts: (Part & { readonly path: string })[] = [];
  const add = (path: string, format: Format, source: string | undefined) => {
    if (source !== undefined) parts.push({ path, format, source });
  };
  add('/subject', 'text', words.subject);
  add('/message', 'text', words.message);
  for (const channel of ['email', 'chat', 'in_app', 'web_push'] as const)
    for (const [part, source] of Object.entries<unknown>(words[channel] ?? {}))
      if (typeof source === 'string' && part !== 'from')
        add(`/${channel}/${part}`, part === 'html' ? 'html' : 'text', source);
  return parts;
}

/** Whether parsing takes a few milliseconds at most. */
export function areSmall(all: readonly LocaleContent[]): boolean {
  return isSmallSource(all.flatMap((words) => listParts(words).map(({ source }) => source)).join(''));
}

/** Whether the lengths of templates and data bound the work. @throws TemplateProblem */
export function arePlain(words: LocaleContent): boolean {
  return listParts(words).every(({ format, source }) => parseTemplate(format, source).isPlain);
}

/** Every part of a template that does not parse, with its path. */
export function contentProblems(all: readonly LocaleContent[]): { path: string; message: string }[] {
  const problems: { path: string; message: string }[] = [];
  for (const [index, words] of all.entries())
    for (const { path, format, source } of listParts(words))
      try {
        parseTemplate(format, source);
      } catch (error) {
        if (!(error instanceof TemplateProblem)) throw error;
        problems.push({ path: `/locales/${index}${path}`, message: error.message });
      }
  return problems;
}
