// The settings of a webhook, its secret, and deleting it.
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { usePermissions, May } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Refused, TextField } from '../ui/field.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { RotateDialog } from '../ui/rotate-dialog.tsx';
import { Time } from '../ui/time.tsx';
import {
  WEBHOOKS,
  changeWebhook,
  deleteWebhook,
  rotateSecret,
  type Webhook,
  type WebhookChange,
} from './api.ts';
import { EventPicker, type EventSelection } from './event-picker.tsx';
import { CustomHeaders } from './custom-headers.tsx';
import { toForm, toMembers, readFilter } from './sending.rules.ts';
import { DeliverySettingsFields } from './sending.tsx';

export function Settings({ webhook }: { webhook: Webhook }) {
  const [dialog, setDialog] = useState<'rotate' | 'delete' | null>(null);
  const [url, setUrl] = useState(webhook.url);
  const [description, setDescription] = useState(webhook.description ?? '');
  const [events, setEvents] = useState(webhook.events as EventSelection);
  const [sending, setSending] = useState(() => toForm(webhook));
  const filter = readFilter(sending.filter);
  const { can } = usePermissions('voice-api');
  const save = useAction((change: WebhookChange) => changeWebhook(webhook.id, change), {
    says: 'Webhook saved',
    reloads: WEBHOOKS,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof filter === 'string') return;
    save.mutate({
      url,
      events,
      ...toMembers(sending),
      description: description === '' ? null : description,
      filter: filter ?? null,
    });
  };
  const close = () => setDialog(null);
  return (
    <div className="grid items-start gap-8 lg:grid-cols-[1fr_20rem]">
      <form className="max-w-2xl" onSubmit={submit}>
        <fieldset disabled={!can('write')} className="flex min-w-0 flex-col gap-4">
          <Refused error={save.error}>
            <TextField
              label="URL"
              name="url"
              type="url"
              required
              value={url}
              onChange={({ target }) => setUrl(target.value)}
            />
            <TextField
              label="Description"
              name="description"
              maxLength={1000}
              value={description}
              onChange={({ target }) => setDescription(target.value)}
            />
            <EventPicker value={events} onChange={setEvents} />
            <DeliverySettingsFields value={sending} onChange={setSending} />
          </Refused>
          {save.error && <Problem error={save.error} />}
          {can('write') && (
            <Button
              type="submit"
              kind="primary"
              className="self-start"
              busy={save.isPending}
              disabled={events.length === 0 || typeof filter === 'string'}
            >
              Save
            </Button>
          )}
        </fieldset>
      </form>
      <div className="flex flex-col gap-6">
        <Section title="Secret">
          <p>
            It ends in <code className="font-mono text-xs">{webhook.secret_hint}</code>.
          </p>
          {webhook.previous_secret_until && (
            <p className="text-warn">
              The previous secret also signs until <Time at={webhook.previous_secret_until} absolute />.
            </p>
          )}
          <May service="voice-api" scope="write">
            <Button className="self-start" onClick={() => setDialog('rotate')}>
              Rotate secret
            </Button>
          </May>
        </Section>
        {webhook.public_key !== null && (
          <Section title="Public key">
            <p className="text-ink-2">
              Your server verifies v1a signatures with this key. It cannot create any.
            </p>
            <CodeBlock text={webhook.public_key} label="the public key" />
          </Section>
        )}
        <CustomHeaders webhook={webhook} />
        <Section title="State">
          <p className="text-ink-2">
            A disabled webhook receives nothing. You can replay missed events for seven days.
          </p>
          <div className="flex gap-2">
            {webhook.status === 'active' && can('write') && (
              <Button busy={save.isPending} onClick={() => save.mutate({ status: 'disabled' })}>
                Disable webhook
              </Button>
            )}
            <May service="voice-api" scope="delete">
              <Button kind="danger" onClick={() => setDialog('delete')}>
                Delete webhook
              </Button>
            </May>
          </div>
        </Section>
      </div>
      {dialog === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {dialog === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </div>
  );
}

function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useAction((seconds: number) => rotateSecret(webhook.id, seconds), {
    says: 'Secret rotated',
    isShown: true,
    reloads: WEBHOOKS,
  });
  return (
    <RotateDialog
      title="Rotate secret"
      noun="secret"
      explanation="Until the old secret expires, each delivery is signed with both secrets."
      mutation={rotate}
      secret={rotate.data?.secret}
      onClose={onClose}
    />
  );
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(() => deleteWebhook(webhook.id), {
    says: 'Webhook deleted',
    reloads: WEBHOOKS,
    then: () => navigate({ to: '/webhooks' }),
  });
  return (
    <Confirm
      title="Delete this webhook?"
      open
      onClose={onClose}
      verb="Delete webhook"
      mutation={remove}
      onConfirm={() => remove.mutate(undefined)}
    >
      <p>Parley stops sending to {webhook.url} and cancels scheduled attempts. You cannot undo this.</p>
    </Confirm>
  );
}
