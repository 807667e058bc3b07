// One delivery: its body and its attempts.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { May } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock, CopyId, Id, Json } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loading, Page, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Time } from '../ui/time.tsx';
import { AttemptList } from './attempts.tsx';
import { WEBHOOKS, deliveryQuery, retry, webhookQuery, type DeliveryDetail } from './api.ts';
import { describeStatus } from './catalogue.ts';
import { DeliveryBadge } from './status.tsx';

const route = getRouteApi('/shell/webhooks/$webhookId/deliveries/$deliveryId');

export function DeliveryPage() {
  const { webhookId, deliveryId } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(deliveryQuery(webhookId, deliveryId));
  const webhook = useQuery(webhookQuery(webhookId));
  const again = useAction(() => retry(webhookId, deliveryId), {
    says: 'Delivery is being sent',
    reloads: WEBHOOKS,
  });
  return (
    <Page
      title={data?.event ?? 'Delivery'}
      titleExtra={data && <DeliveryBadge of={data} failure={lastFailure(data)} />}
      actions={
        data && (
          <May service="voice-api" scope="write">
            <Button icon="refresh" busy={again.isPending} onClick={() => again.mutate()}>
              {data.status === 'pending' ? 'Send now' : 'Send again'}
            </Button>
          </May>
        )
      }
    >
      {isPending && <Loading subject="the delivery" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {again.error && <Problem error={again.error} />}
      {data && (
        <>
          <Facts
            rows={[
              [
                'Webhook',
                <Link key="webhook" to="/webhooks/$webhookId" params={{ webhookId }} className={rowLink}>
                  {webhook.data?.url ?? webhookId}
                </Link>,
              ],
              ['Delivery', <CopyId key="id">{data.id}</CopyId>],
              [
                'Event',
                <Link key="event" to="/deliveries" search={{ event_id: data.event_id }} className={rowLink}>
                  <Id>{data.event_id}</Id>
                </Link>,
              ],
              ['Kind', data.kind !== 'event' && <Badge>{data.kind}</Badge>],
              ['Replay of', data.replay_of && <CopyId>{data.replay_of}</CopyId>],
              ['State', describeStatus(data.status)],
              ['Created', <Time key="created" at={data.created_at} absolute />],
              ['Next attempt', data.next_attempt_at && <Time at={data.next_attempt_at} absolute />],
              ['Finished', data.finished_at && <Time at={data.finished_at} absolute />],
            ]}
          />
          <div className="grid items-start gap-6 lg:grid-cols-2">
            <Section title="Body">
              {data.body === null ? (
                <p className="text-ink-2">The body is no longer stored.</p>
              ) : (
                <SentBody body={data.body} />
              )}
            </Section>
            <Section title="Attempts">
              {data.attempt_log.length === 0 && <p className="text-ink-2">No attempts yet.</p>}
              <AttemptList attempts={data.attempt_log} />
            </Section>
          </div>
        </>
      )}
    </Page>
  );
}

function lastFailure({ status, attempt_log }: DeliveryDetail) {
  const { status: answered = null, error_class = null } = attempt_log.at(-1) ?? {};
  return status === 'delivered' || error_class === null ? null : { status: answered, error_class };
}

/** Shows the exact bytes first, because the signature covers them. */
function SentBody({ body }: { body: unknown }) {
  return (
    <>
      <CodeBlock text={JSON.stringify(body)} label="the body as sent" />
      <p className="text-xs text-ink-2">
        The exact bytes. A signed delivery also ends with the member <code>signature</code>, which is created
        for each attempt and not stored.
      </p>
      <details>
        <summary className="w-fit py-1 text-ink-2 hover:text-ink">Show formatted</summary>
        <Json value={body} label="the formatted body" />
      </details>
    </>
  );
}
