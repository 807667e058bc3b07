// What each channel would be given to send, with data of one's own. The service renders it: what is missing it says, and where.
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/copy.tsx';
import { TextArea } from '../../ui/field.tsx';
import { messageOf, Problem } from '../../ui/page.tsx';
import { channelLabel } from '../channels.ts';
import { problemOf, readObject, valueOf } from '../json.rules.ts';
import { previewQuery, type TemplatePreview } from './api.ts';
import { HtmlView } from './html-view.tsx';
import { templateRoute } from './routes.tsx';
import { ShowPlace } from './show-place.tsx';
import { placeOf, type Template } from './words.rules.ts';

export function Preview({ template }: { template: Template }) {
  const { language } = templateRoute.useSearch();
  const [text, setText] = useState('{}');
  /** Asked once, it is asked again for what is saved later, and for another language. */
  const [asked, setAsked] = useState<Record<string, unknown> | null>(null);
  const data = readObject(text);
  // A language that is added but not saved yet is none of this version.
  const locale = template.locales.find((one) => one.locale === language)?.locale;
  const show = useQuery({
    ...previewQuery(template.template_id, {
      version: template.version,
      data: asked ?? {},
      ...(locale !== undefined && { locale }),
    }),
    enabled: asked !== null,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(valueOf(data) ?? {});
  };
  const place = show.error && placeOf(messageOf(show.error), template);
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-4">
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <TextArea
          label="Data"
          hint={`As a send would bring it, for version ${template.version} as it is saved`}
          error={problemOf(data)}
          rows={4}
          spellCheck={false}
          className="font-mono text-xs"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div>
          <Button type="submit" busy={show.isFetching} disabled={'problem' in data}>
            Preview
          </Button>
        </div>
      </form>
      {show.error && <Problem error={show.error} />}
      {place && <ShowPlace place={place} />}
      {show.data && !show.error && <Shown preview={show.data} />}
      {!show.data && !show.error && (
        <p className="rounded-lg border border-dashed border-line p-6 text-ink-2">
          What each channel would be given to send stands here.
        </p>
      )}
    </section>
  );
}

function Shown({ preview: { version, locale, channels } }: { preview: TemplatePreview }) {
  return (
    <>
      <p className="text-xs text-ink-2">
        Version {version}, in {locale}
      </p>
      {Object.entries(channels).map(([channel, { subject, message, html }]) => (
        <section key={channel} className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-line p-3">
          <h2 className="text-xs font-medium text-ink-2">{channelLabel(channel)}</h2>
          <p className="font-semibold break-words">{subject}</p>
          {html !== undefined && (
            <>
              <HtmlView html={html} language={locale} title={`${channelLabel(channel)} as HTML`} />
              <details>
                <summary className="text-xs text-ink-2">The HTML itself</summary>
                <CodeBlock text={html} what={`the HTML of ${channelLabel(channel)}`} />
              </details>
            </>
          )}
          <p className="break-words whitespace-pre-wrap text-ink-2">{message}</p>
        </section>
      ))}
    </>
  );
}
