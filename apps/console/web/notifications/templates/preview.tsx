// Previews the template in the editor with test data. The service renders it.
import { getRouteApi } from '@tanstack/react-router';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { toMessage, Problem, STICKY_COLUMN } from '../../ui/page.tsx';
import { readObject, valueOf } from '../json.rules.ts';
import { previewQuery, type PreviewRequest, type TemplatePreview } from './api.ts';
import { DataFields } from './data-fields.tsx';
import { Looks } from './looks.tsx';
import { ShowPlace } from './show-place.tsx';
import { variablesIn, withSamples } from './variables.rules.ts';
import { placeOf, saidIn, sourcesOf, type Draft } from './words.rules.ts';

const route = getRouteApi('/shell/notifications/templates/$templateId');

/** Wait for a pause in typing. */
const ASKED_AFTER_MS = 300;

export function Preview({ draft }: { draft: Draft }) {
  const { language, channel } = route.useSearch();
  const [text, setText] = useState('');
  const data = readObject(text);
  const variables = useMemo(() => variablesIn(sourcesOf(draft)), [draft]);
  const request: PreviewRequest = {
    ...saidIn(draft),
    data: withSamples(valueOf(data) ?? {}, variables),
    ...(draft.locales.some(({ locale }) => locale === language) && { locale: language }),
  };
  const isWhole = !('problem' in data) && draft.locales.every(({ message }) => message.trim() !== '');
  const show = useQuery({
    ...previewQuery(useSettled(request)),
    enabled: isWhole,
    placeholderData: keepPreviousData,
  });
  /** Keeps the last valid preview while the input is incomplete. */
  const [last, setLast] = useState<TemplatePreview>();
  if (show.data !== undefined && show.data !== last) setLast(show.data);
  const place = show.error && placeOf(toMessage(show.error), draft);
  return (
    <section aria-label="Preview" className={`flex flex-col gap-4 ${STICKY_COLUMN}`}>
      <DataFields
        variables={variables}
        json={text}
        hint="Test data, as a send would pass it. An empty field shows its name."
        onChange={setText}
      />
      {show.error && <Problem error={show.error} />}
      {place && <ShowPlace place={place} />}
      {last && (
        <>
          <p className="text-xs text-ink-2">
            Language: {last.locale}
            {(show.error !== null || !isWhole) && ', last valid preview'}
          </p>
          <Looks preview={last} channel={channel} />
        </>
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
