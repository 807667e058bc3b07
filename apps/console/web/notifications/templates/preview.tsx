// Previews the template in the editor with test data. The service renders it and names missing
// variables.
import { getRouteApi } from '@tanstack/react-router';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/copy.tsx';
import { TextArea } from '../../ui/field.tsx';
import { toMessage, Problem, STICKY_COLUMN } from '../../ui/page.tsx';
import { channelLabel } from '../channels.ts';
import { problemOf, readObject, valueOf } from '../json.rules.ts';
import { previewQuery, type PreviewRequest, type TemplatePreview } from './api.ts';
import { HtmlView } from './html-view.tsx';
import { ShowPlace } from './show-place.tsx';
import { isChanged, placeOf, saidIn, type Draft, type Template } from './words.rules.ts';

const route = getRouteApi('/shell/notifications/templates/$templateId');

/** Wait for a pause in typing. */
const ASKED_AFTER_MS = 300;

export function Preview({ template, draft }: { template: Template; draft: Draft }) {
  const { language } = route.useSearch();
  const [text, setText] = useState('{}');
  const [begun, setBegun] = useState(false);
  const data = readObject(text);
  const request: PreviewRequest = {
    ...saidIn(draft),
    data: valueOf(data) ?? {},
    ...(draft.locales.some(({ locale }) => locale === language) && { locale: language }),
  };
  const isWhole = !('problem' in data) && draft.locales.every(({ message }) => message.trim() !== '');
  const isLive = begun || isChanged(draft, template);
  const show = useQuery({
    ...previewQuery(useSettled(request)),
    enabled: isLive && isWhole,
    placeholderData: keepPreviousData,
  });
  /** Keeps the last valid preview while the input is incomplete. */
  const [last, setLast] = useState<TemplatePreview>();
  if (show.data !== undefined && show.data !== last) setLast(show.data);
  const place = show.error && placeOf(toMessage(show.error), draft);
  return (
    <section aria-label="Preview" className={`flex flex-col gap-4 ${STICKY_COLUMN}`}>
      <TextArea
        label="Data"
        hint="Test data, as a send would pass it. The preview also shows unsaved changes"
        error={problemOf(data)}
        rows={4}
        spellCheck={false}
        className="font-mono text-xs"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setBegun(true);
        }}
      />
      {show.error && <Problem error={show.error} />}
      {place && <ShowPlace place={place} />}
      {last ? (
        <Shown preview={last} stale={show.error !== null || !isWhole} />
      ) : (
        !isLive && (
          <div className="flex flex-wrap items-center gap-3 rounded-lg border border-dashed border-line p-6 text-ink-2">
            <p className="flex-1">The preview shows what each channel sends.</p>
            <Button onClick={() => setBegun(true)}>Preview</Button>
          </div>
        )
      )}
    </section>
  );
}

/** The value after it has not changed for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), ASKED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Shown({ preview: { locale, channels }, stale }: { preview: TemplatePreview; stale: boolean }) {
  return (
    <>
      <p className="text-xs text-ink-2">
        Language: {locale}
        {stale && ', last valid preview'}
      </p>
      {Object.entries(channels).map(([channel, { subject, message, html }]) => (
        <section key={channel} className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-line p-3">
          <h2 className="text-xs font-medium text-ink-2">{channelLabel(channel)}</h2>
          {subject !== message && <p className="font-semibold break-words">{subject}</p>}
          {html !== undefined && (
            <>
              <HtmlView html={html} language={locale} title={`${channelLabel(channel)} as HTML`} />
              <details>
                <summary className="text-xs text-ink-2">Show HTML source</summary>
                <CodeBlock text={html} label={`the HTML of ${channelLabel(channel)}`} />
              </details>
            </>
          )}
          <p className="break-words whitespace-pre-wrap text-ink-2">{message}</p>
        </section>
      ))}
    </>
  );
}
