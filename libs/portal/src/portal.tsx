'use client';
// The portal: which view is open, and what all views share.
import { useLayoutEffect, useMemo, useState } from 'react';
import { createClient, type ClientOptions } from './client.ts';
import { ScopesContext, SharedContext, useLoad, type Place } from './context.ts';
import { DeliveryView } from './delivery.tsx';
import { NewWebhook, EditWebhook } from './form.tsx';
import { ENGLISH, type PortalLocalization } from './localization.ts';
import { Loading } from './parts.tsx';
import { WebhookView } from './webhook.tsx';
import { WebhookList } from './webhooks.tsx';

export interface PortalProps extends ClientOptions {
  /** Missing texts are English. */
  readonly localization?: Partial<PortalLocalization>;
  /** BCP 47 tag for times and numbers. Default: the browser's. */
  readonly locale?: string;
}

export function Portal({ baseUrl, token, onTokenExpired, fetch, localization, locale }: PortalProps) {
  const client = useMemo(() => createClient({ baseUrl, token }), [baseUrl, token]);
  // Runs before the effects of the views load.
  useLayoutEffect(() => client.replaceHooks({ onTokenExpired, fetch }));
  const [place, open] = useState<Place>({ view: 'list' });
  const shared = useMemo(() => {
    const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
    const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
    return {
      client: client.voiceApi,
      open,
      words: { ...ENGLISH, ...localization },
      formatTime: (time: string) => moment.format(new Date(time)),
      formatShare: (share: number) => percent.format(share),
    };
  }, [client, localization, locale]);
  return (
    <SharedContext.Provider value={shared}>
      <section className="parley-portal" aria-label={shared.words.title}>
        <Opened place={place} />
      </section>
    </SharedContext.Provider>
  );
}

function Opened({ place }: { readonly place: Place }) {
  const loaded = useLoad('portal', (client, signal) => client.getPortal({}, { signal }));
  return (
    <Loading of={loaded}>
      {({ scopes }) => (
        <ScopesContext.Provider value={scopes}>
          <View place={place} />
        </ScopesContext.Provider>
      )}
    </Loading>
  );
}

function View({ place }: { readonly place: Place }) {
  switch (place.view) {
    case 'list':
      return <WebhookList />;
    case 'new':
      return <NewWebhook />;
    case 'edit':
      return <EditWebhook id={place.id} />;
    case 'webhook':
      return <WebhookView key={place.id} id={place.id} secret={place.secret} />;
    case 'delivery':
      return <DeliveryView id={place.id} deliveryId={place.deliveryId} />;
  }
}
