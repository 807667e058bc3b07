'use client';
// The list of webhooks.
import { useCan, useLoad, useShared } from './context.ts';
import { Badge, Head, Loading } from './parts.tsx';

/** As many as an application may have. */
const WEBHOOKS_MAX = 20;

export function WebhookList() {
  const { words, open, formatShare } = useShared();
  const mayWrite = useCan('write');
  const loaded = useLoad('webhooks', (client, signal) =>
    client.listWebhooks({ limit: WEBHOOKS_MAX, health: 'true' }, { signal }),
  );
  return (
    <>
      <Head title={words.title}>
        {mayWrite && (
          <button type="button" className="parley-portal-main" onClick={() => open({ view: 'new' })}>
            {words.add}
          </button>
        )}
      </Head>
      <Loading of={loaded}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{words.empty}</p>
          ) : (
            <ul className="parley-portal-list">
              {items.map(({ id, url, description, status, health }) => (
                <li key={id}>
                  <button type="button" onClick={() => open({ view: 'webhook', id })}>
                    <span dir="ltr">{url}</span>
                  </button>
                  <Badge mood={status === 'active' ? 'good' : 'bad'}>
                    {status === 'active' ? words.active : words.disabled}
                  </Badge>
                  {description && <span dir="auto">{description}</span>}
                  {health?.success_rate != null && (
                    <span className="parley-portal-soft">
                      {words.delivered(formatShare(health.success_rate))}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </>
  );
}
