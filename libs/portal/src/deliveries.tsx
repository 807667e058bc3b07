'use client';
// The deliveries of a webhook, and the replay of those that did not arrive.
import { useId, useState } from 'react';
import type { components } from '@parley/sdk/voice-api';
import { useCan, useChange, useLoad, useReloadWhile, useShared } from './context.ts';
import { Loading, Problem, StatusBadge } from './parts.tsx';

type Delivery = components['schemas']['ListedDelivery'];

const PAGE = 20;
/** A page of the API has at most this many. */
const SHOWN_MAX = 100;
const PERIODS_HOURS = [1, 24, 168] as const;
const HOUR_MS = 3_600_000;

export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const { words } = useShared();
  const [status, setStatus] = useState<Delivery['status'] | ''>('');
  const [limit, setLimit] = useState(PAGE);
  const query = { webhook_id: webhookId, limit, ...(status && { status }) };
  const loaded = useLoad(`deliveries ${JSON.stringify(query)}`, (client, signal) =>
    client.listDeliveries(query, { signal }),
  );
  useReloadWhile(loaded.data?.items.some((one) => one.status === 'pending') === true, loaded);
  const id = useId();
  return (
    <section>
      <h3>{words.deliveries}</h3>
      <div className="parley-portal-actions">
        <label htmlFor={id}>{words.status}</label>
        <select
          id={id}
          value={status}
          onChange={({ target }) => setStatus(target.value as Delivery['status'] | '')}
        >
          <option value="">{words.everyStatus}</option>
          {(['pending', 'delivered', 'exhausted', 'skipped'] as const).map((one) => (
            <option key={one} value={one}>
              {words.statuses[one]}
            </option>
          ))}
        </select>
      </div>
      <Loading of={loaded}>
        {({ items, has_more: hasMore }) =>
          items.length === 0 ? (
            <p>{words.noDeliveries}</p>
          ) : (
            <>
              <DeliveryTable items={items} webhookId={webhookId} />
              {hasMore && limit < SHOWN_MAX && (
                <button type="button" onClick={() => setLimit(SHOWN_MAX)}>
                  {words.more}
                </button>
              )}
            </>
          )
        }
      </Loading>
      <Replay webhookId={webhookId} onReplayed={loaded.reload} />
    </section>
  );
}

function DeliveryTable({
  items,
  webhookId,
}: {
  readonly items: readonly Delivery[];
  readonly webhookId: string;
}) {
  const { words, open, formatTime } = useShared();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.event}</th>
          <th scope="col">{words.status}</th>
          <th scope="col">{words.attempts}</th>
          <th scope="col">{words.created}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, event, status, attempts, created_at: created }) => (
          <tr key={id}>
            <td>
              <button type="button" onClick={() => open({ view: 'delivery', id: webhookId, deliveryId: id })}>
                {event}
              </button>
            </td>
            <td>
              <StatusBadge status={status} />
            </td>
            <td>{attempts}</td>
            <td>{formatTime(created)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ReplayProps {
  readonly webhookId: string;
  readonly onReplayed: () => void;
}

function Replay({ webhookId, onReplayed }: ReplayProps) {
  const { words, client } = useShared();
  const mayWrite = useCan('write');
  const [hours, setHours] = useState<number>(24);
  const [result, setResult] = useState('');
  const change = useChange();
  if (!mayWrite) return null;
  const replay = async () => {
    const now = Date.now();
    const period = {
      since: new Date(now - hours * HOUR_MS).toISOString(),
      until: new Date(now).toISOString(),
    };
    const { replayed } = await client.replayDeliveries({ webhook_id: webhookId, body: period });
    setResult(words.replayed(replayed));
    onReplayed();
  };
  return (
    <div className="parley-portal-actions">
      <select
        aria-label={words.replayPeriod}
        value={hours}
        onChange={({ target }) => setHours(Number(target.value))}
      >
        {PERIODS_HOURS.map((one) => (
          <option key={one} value={one}>
            {words.hours(one)}
          </option>
        ))}
      </select>
      <button type="button" disabled={change.isRunning} onClick={() => change.run(replay)}>
        {words.replay}
      </button>
      <span role="status" className="parley-portal-soft">
        {result || words.replayHint}
      </span>
      <Problem error={change.error} />
    </div>
  );
}
