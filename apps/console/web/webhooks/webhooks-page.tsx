// The list of webhooks, and the dialog that creates one.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Bulk } from '../lists/bulk.tsx';
import { List } from '../lists/list.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { TextFilter } from '../ui/filters.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { Page } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import {
  WEBHOOKS,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  webhooksQuery,
  type Webhook,
  type WebhookHealth,
} from './api.ts';
import { EventPicker, type EventSelection } from './event-picker.tsx';
import { HeadersField, toHeaders } from './custom-headers.tsx';
import { findWrongName } from './headers.rules.ts';
import { toForm, toMembers, readFilter } from './sending.rules.ts';
import { DeliverySettingsFields } from './sending.tsx';
import { describeOutcome, formatRate, isFailing, rateTone, WebhookBadge } from './status.tsx';

const route = getRouteApi('/shell/webhooks');

export function WebhooksPage() {
  const { cursor, application } = route.useSearch();
  const list = useQuery(
    webhooksQuery({
      health: 'true',
      ...(cursor === undefined ? {} : { cursor }),
      ...(application === undefined ? {} : { application_id: application }),
    }),
  );
  const [creating, setCreating] = useState(false);
  const { can } = usePermissions('voice-api');
  const create = can('write') && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create webhook
    </Button>
  );
  return (
    <Page title="Webhooks" actions={create}>
      <List
        label="Webhooks"
        service="voice-api"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={list}
        bulk={BULK}
        filters={<TextFilter name="application" label="Application id" value={application} />}
        empty={{
          icon: 'webhooks',
          title: 'No webhooks yet',
          children:
            'Webhooks send conversation events to your server. Each request is signed and retried until your server answers with 2xx.',
        }}
      />
      {creating && <CreateWebhook onClose={() => setCreating(false)} />}
    </Page>
  );
}

type Listed = Webhook & { readonly health?: WebhookHealth };

const COLUMNS: Columns<Listed> = {
  state: {
    head: 'State',
    place: 'state',
    cell: (one) => <WebhookBadge of={one} health={one.health} />,
  },
  url: {
    head: 'URL',
    place: 'name',
    className: 'md:max-w-96',
    cell: (webhook) => (
      <>
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId: webhook.id }}
          className={`block truncate ${rowLink}`}
          title={webhook.url}
        >
          {webhook.url}
        </Link>
        <Why webhook={webhook} health={webhook.health} />
      </>
    ),
  },
  rate: { head: 'Delivered, 24 h', cell: ({ health }) => <Rate of={health?.success_rate ?? null} /> },
  latency: {
    head: 'p95 latency',
    minor: true,
    cell: ({ health }) => (health?.p95_ms == null ? '–' : formatDuration(health.p95_ms)),
  },
  events: {
    head: 'Events',
    className: 'max-w-64',
    cell: ({ events }) => (events[0] === '*' ? 'all events' : events.join(', ')),
  },
  application: { head: 'Application', minor: true, cell: ({ application_id: id }) => id ?? '–' },
  created: { head: 'Created', minor: true, cell: ({ created_at: at }) => <Time at={at} /> },
};

const BULK: readonly Bulk<Listed>[] = [
  {
    verb: 'Enable',
    scope: 'write',
    done: 'enabled',
    isFor: ({ status }) => status === 'disabled',
    run: ({ id }) => changeWebhook(id, { status: 'active' }),
  },
  {
    verb: 'Disable',
    scope: 'write',
    done: 'disabled',
    isFor: ({ status }) => status === 'active',
    run: ({ id }) => changeWebhook(id, { status: 'disabled' }),
  },
  {
    verb: 'Delete',
    scope: 'delete',
    done: 'deleted',
    warning: 'Events are no longer sent to these addresses, and their delivery logs are deleted.',
    run: ({ id }) => deleteWebhook(id),
  },
];

/** Why a webhook fails or was disabled, or else its description. */
function Why({ webhook, health }: { webhook: Webhook; health: WebhookHealth | undefined }) {
  const error = health?.last_error;
  if (isFailing(webhook, health) && error)
    return (
      <span className="block truncate text-xs text-bad" title={error.message}>
        {describeOutcome(error)}, <Time at={error.at} />
      </span>
    );
  return (
    <span className={`block truncate text-xs ${webhook.disabled_reason ? 'text-bad' : 'text-ink-2'}`}>
      {webhook.disabled_reason ?? webhook.description}
    </span>
  );
}

const Rate = ({ of }: { of: number | null }) =>
  of === null ? '–' : <Badge tone={rateTone(of)}>{formatRate(of)}</Badge>;

function CreateWebhook({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<EventSelection>(['*']);
  const [sending, setSending] = useState(() => toForm());
  const [headers, setHeaders] = useState('');
  const filter = readFilter(sending.filter);
  const create = useAction(createWebhook, {
    says: 'Webhook created',
    isShown: true,
    reloads: WEBHOOKS,
  });
  const submit = () =>
    create.mutate({
      url,
      events,
      ...toMembers(sending),
      ...(description === '' ? {} : { description }),
      ...(typeof filter === 'object' ? { filter } : {}),
      ...(Object.keys(toHeaders(headers)).length === 0 ? {} : { headers: toHeaders(headers) }),
    });
  const made = create.data;
  if (made)
    return (
      <SecretDialog
        title="Create webhook"
        noun="the secret"
        secret={made.secret}
        onDone={() => {
          onClose();
          void navigate({ to: '/webhooks/$webhookId', params: { webhookId: made.id } });
        }}
      />
    );
  return (
    <FormDialog
      title="Create webhook"
      verb="Create webhook"
      wide
      mutation={create}
      disabled={events.length === 0 || typeof filter === 'string' || findWrongName(headers) !== undefined}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="URL"
        name="url"
        hint="An https address that Parley can reach"
        type="url"
        required
        placeholder="https://example.com/parley"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={1000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <EventPicker value={events} onChange={setEvents} />
      <details className="group">
        <summary className="font-medium">Delivery settings</summary>
        <div className="flex flex-col gap-4 pt-3">
          <DeliverySettingsFields value={sending} onChange={setSending} />
          <HeadersField value={headers} onChange={setHeaders} />
        </div>
      </details>
    </FormDialog>
  );
}
