'use client';
// One delivery: its payload and every attempt.
import type { components } from '@parley/sdk/voice-api';
import { useCan, useChange, useLoad, useReloadWhile, useShared } from './context.ts';
import { Code, Head, Loading, Problem, StatusBadge } from './parts.tsx';

type Attempt = components['schemas']['DeliveryAttempt'];

export function DeliveryView({ id, deliveryId }: { readonly id: string; readonly deliveryId: string }) {
  const { words, client, open, formatTime } = useShared();
  const mayWrite = useCan('write');
  const place = { webhook_id: id, delivery_id: deliveryId };
  const loaded = useLoad(`delivery ${deliveryId}`, (from, signal) => from.getDelivery(place, { signal }));
  useReloadWhile(loaded.data?.status === 'pending', loaded);
  const change = useChange();
  const retry = async () => {
    const { id: redelivery } = await client.retryDelivery(place);
    open({ view: 'delivery', id, deliveryId: redelivery });
    loaded.reload();
  };
  return (
    <>
      <Head title={loaded.data?.event ?? words.deliveries} backTo={{ view: 'webhook', id }} />
      <Loading of={loaded}>
        {({ status, created_at: created, body, attempt_log: attempts }) => (
          <>
            <div className="parley-portal-actions">
              <StatusBadge status={status} />
              <span>{formatTime(created)}</span>
              {mayWrite && body !== null && (
                <button type="button" disabled={change.isRunning} onClick={() => change.run(retry)}>
                  {words.retry}
                </button>
              )}
            </div>
            <Problem error={change.error} />
            <h3>{words.attempts}</h3>
            {attempts.length === 0 && <p>{words.noAttempts}</p>}
            <ol className="parley-portal-list">
              {attempts.map((attempt) => (
                <AttemptItem key={attempt.attempt} attempt={attempt} />
              ))}
            </ol>
            <h3>{words.payload}</h3>
            {body === null ? (
              <p>{words.payloadGone}</p>
            ) : (
              <Code label={words.payload}>{JSON.stringify(body, null, 2)}</Code>
            )}
          </>
        )}
      </Loading>
    </>
  );
}

function AttemptItem({ attempt }: { readonly attempt: Attempt }) {
  const { words, formatTime } = useShared();
  const { attempt: number, at, status, ms, message, answer } = attempt;
  return (
    <li>
      <strong>{words.attempt(number)}</strong>
      <span>{formatTime(at)}</span>
      {status !== null && <span>{status}</span>}
      <span>{words.milliseconds(ms)}</span>
      {message && <span dir="auto">{message}</span>}
      {answer && <Code label={words.answer}>{answer}</Code>}
    </li>
  );
}
