// What a template says with the data of a send, channel by channel.
import type { ChannelName } from '@parley/queues';
import { HTML_BYTES_MAX } from '../email/mail-target.ts';
import { MESSAGE_CHARS_MAX, SUBJECT_CHARS_MAX } from '../notify/text-limits.ts';
import { subjectOf } from '../notify/plan.rules.ts';
import { parseTemplate, renderTemplate, TemplateProblem, type Format, type RenderBudget } from './engine.ts';
import type { LocaleContent, TemplateContent } from './schemas.ts';

/** The words of a channel. */
export interface Words {
  readonly subject: string;
  /** False when the subject is only the beginning of the message. */
  readonly subjectGiven: boolean;
  readonly message: string;
  readonly html?: string | undefined;
}

interface Sources {
  readonly subject: string | undefined;
  readonly message: string;
  readonly html?: string | undefined;
}

/** The words of a locale for a channel; without one those that are for all. */
function sourcesOf(words: LocaleContent, channel: ChannelName | undefined): Sources {
  const { subject, message, email, chat, in_app: inApp, web_push: push } = words;
  switch (channel) {
    case 'email':
      return { subject: email?.subject ?? subject, message: email?.text ?? message, html: email?.html };
    case 'chat':
      return { subject, message: chat?.text ?? message };
    case 'in_app':
      return { subject: inApp?.title ?? subject, message: inApp?.body ?? message };
    case 'web_push':
      return { subject: push?.title ?? subject, message: push?.body ?? message };
    default:
      return { subject, message };
  }
}

/** The locale itself, else its language without what follows it, else the default one. */
export function localeOf({ locales, default_locale: usual }: TemplateContent, wanted?: string): string {
  const known = new Map(Object.keys(locales).map((name) => [name.toLowerCase(), name]));
  const parts = wanted?.toLowerCase().split('-') ?? [];
  for (let count = parts.length; count > 0; count -= 1) {
    const found = known.get(parts.slice(0, count).join('-'));
    if (found !== undefined) return found;
  }
  return usual;
}

export interface RenderedTemplate {
  readonly locale: string;
  /** The words that are for all: what lists show. */
  readonly common: Words;
  readonly byChannel: ReadonlyMap<ChannelName, Words>;
}

/** @throws TemplateProblem */
export function renderAll(
  content: TemplateContent,
  wanted: string | undefined,
  channels: Iterable<ChannelName>,
  data: object,
  budget: RenderBudget,
): RenderedTemplate {
  const done = new Map<string, string>();
  const render = (format: Format, source: string, charsMax: number, what: string): string => {
    const key = `${format} ${charsMax} ${source}`;
    const known = done.get(key);
    if (known !== undefined) return known;
    try {
      const text = renderTemplate(format, source, data, charsMax, budget);
      done.set(key, text);
      return text;
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      throw new TemplateProblem(`${what}: ${error.message}`, error.missing);
    }
  };
  const wordsOf = (channel: ChannelName | undefined): Words => {
    const { subject, message, html } = sourcesOf(content.locales[locale]!, channel);
    const of = channel === undefined ? '' : ` of ${channel}`;
    const text = render('text', message, MESSAGE_CHARS_MAX, `message${of}`);
    if (text.trim() === '') throw new TemplateProblem(`message${of}: is blank`);
    const title =
      subject === undefined ? undefined : render('text', subject, SUBJECT_CHARS_MAX, `subject${of}`);
    return {
      ...subjectOf(title, text),
      message: text,
      ...(html === undefined ? {} : { html: render('html', html, HTML_BYTES_MAX, `html${of}`) }),
    };
  };
  const locale = localeOf(content, wanted);
  const common = wordsOf(undefined);
  return { locale, common, byChannel: new Map([...channels].map((name) => [name, wordsOf(name)])) };
}

/** Every part of a template that cannot be parsed, with its path. */
export function contentProblems(content: TemplateContent): { path: string; message: string }[] {
  const problems: { path: string; message: string }[] = [];
  const look = (path: string, format: Format, source: string | undefined) => {
    try {
      if (source !== undefined) parseTemplate(format, source);
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      problems.push({ path, message: error.message });
    }
  };
  for (const [index, words] of Object.values(content.locales).entries()) {
    const at = `/locales/${index}`;
    look(`${at}/subject`, 'text', words.subject);
    look(`${at}/message`, 'text', words.message);
    for (const channel of ['email', 'chat', 'in_app', 'web_push'] as const)
      for (const [part, source] of Object.entries<string | undefined>(words[channel] ?? {}))
        look(`${at}/${channel}/${part}`, part === 'html' ? 'html' : 'text', source);
  }
  return problems;
}
