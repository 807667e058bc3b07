// One webhook: health, deliveries, settings and signature check.
import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermissions, May } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge, DeclaredBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyId } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loading, Page, Problem } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Time } from '../ui/time.tsx';
import { WEBHOOKS, changeWebhook, webhookQuery, type Webhook } from './api.ts';
import { Deliveries } from './deliveries.tsx';
import { Health } from './health.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { Settings } from './settings.tsx';
import { Signature } from './signature.tsx';
import { WebhookBadge } from './status.tsx';
import { TestDialog } from './test-dialog.tsx';

const route = getRouteApi('/shell/webhooks/$webhookId');

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const { tab = 'deliveries' } = route.useSearch();
  const [dialog, setDialog] = useState<'test' | 'replay' | null>(null);
  const { can } = usePermissions('voice-api');
  const { data, error, isPending, refetch } = useQuery(webhookQuery(webhookId));
  return (
    <Page
      title={data?.url ?? 'Webhook'}
      titleExtra={
        <>
          {data && <WebhookBadge of={data} health={data.health} />}
          {data?.application_id && <Badge>Application {data.application_id}</Badge>}
          <DeclaredBadge id={data?.external_id} />
          <CopyId>{webhookId}</CopyId>
        </>
      }
      actions={
        data && (
          <May service="voice-api" scope="write">
            <Button onClick={() => setDialog('test')}>Send test event</Button>
            <Button onClick={() => setDialog('replay')}>Replay deliveries</Button>
          </May>
        )
      }
    >
      {isPending && <Loading subject="the webhook" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.status === 'disabled' && <Disabled webhook={data} />}
      {data && (
        <>
          <Health of={data.health} />
          <Tabs
            label="Webhook"
            current={tab}
            tabs={[
              { key: 'deliveries', label: 'Deliveries', search: {} },
              { key: 'settings', label: 'Settings', search: { tab: 'settings' } },
              ...(can('write')
                ? [{ key: 'signature', label: 'Verify a signature', search: { tab: 'signature' } }]
                : []),
            ]}
          />
          {tab === 'deliveries' && <Deliveries webhookId={webhookId} />}
          {tab === 'settings' && <Settings key={webhookId} webhook={data} />}
          {tab === 'signature' && can('write') && <Signature webhookId={webhookId} />}
          {dialog === 'test' && <TestDialog webhookId={webhookId} onClose={() => setDialog(null)} />}
          {dialog === 'replay' && <ReplayDialog webhookId={webhookId} onClose={() => setDialog(null)} />}
        </>
      )}
    </Page>
  );
}

/** Says why the webhook is disabled and offers to enable it. */
function Disabled({ webhook }: { webhook: Webhook }) {
  const enable = useAction(() => changeWebhook(webhook.id, { status: 'active' }), {
    says: 'Webhook enabled. Replay the deliveries that it missed.',
    reloads: WEBHOOKS,
  });
  return (
    <div className="flex flex-col gap-2 rounded-lg bg-warn-soft px-4 py-3">
      <div className="flex flex-wrap items-center gap-3">
        <Icon name="warning" className="text-warn" />
        <p className="min-w-48 flex-1">
          Disabled{' '}
          {webhook.disabled_at && (
            <>
              since <Time at={webhook.disabled_at} />
            </>
          )}
          {webhook.disabled_reason && <>: {webhook.disabled_reason}</>}. You can replay missed events for
          seven days.
        </p>
        <May service="voice-api" scope="write">
          <Button busy={enable.isPending} onClick={() => enable.mutate(undefined)}>
            Enable webhook
          </Button>
        </May>
      </div>
      {enable.error && <Problem error={enable.error} />}
    </div>
  );
}
