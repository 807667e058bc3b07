// The composer: what is sent to whom over which channels, and, before anything is sent, the exact bodies.
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Json } from '../ui/copy.tsx';
import { Checkbox, TextArea, TextField } from '../ui/field.tsx';
import { Page, Problem } from '../ui/page.tsx';
import { preview, send, type Accepted, type Preview } from './api.ts';
import { channelLabel, CHANNELS, type Channel } from './channels.ts';
import { emptyDraft, requestOf, type Draft } from './draft.rules.ts';
import { NotificationTabs } from './notification-tabs.tsx';
import { TargetFields } from './target-fields.tsx';

export function ComposePage() {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const show = useMutation({ mutationFn: () => preview(requestOf(draft)) });
  const go = useMutation({
    mutationFn: () => send(requestOf(draft), idempotencyKey),
    onSuccess: (answer) => {
      if ('notification_id' in answer)
        void navigate({
          to: '/notifications/sent/$notificationId',
          params: { notificationId: answer.notification_id },
        });
    },
  });
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setIdempotencyKey(crypto.randomUUID()); // another notification
    show.reset();
  };
  const choose = (channel: Channel, chosen: boolean) =>
    change({
      channels: chosen ? [...draft.channels, channel] : draft.channels.filter((one) => one !== channel),
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show.mutate();
  };
  return (
    <Page title="Notifications">
      <NotificationTabs />
      <div className="grid items-start gap-8 lg:grid-cols-2">
        <form className="flex flex-col gap-4" onSubmit={submit}>
          <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
            <legend className="mb-1 font-medium">Channels</legend>
            {CHANNELS.map((channel) => (
              <Checkbox
                key={channel}
                label={channelLabel(channel)}
                checked={draft.channels.includes(channel)}
                onChange={(event) => choose(channel, event.target.checked)}
              />
            ))}
          </fieldset>
          <TargetFields draft={draft} onChange={change} />
          <TextField
            label="Subject"
            hint="Left out: the beginning of the message"
            maxLength={255}
            value={draft.subject}
            onChange={(event) => change({ subject: event.target.value })}
          />
          <TextArea
            label="Message"
            required
            rows={5}
            maxLength={10_000}
            value={draft.message}
            onChange={(event) => change({ message: event.target.value })}
          />
          <TextField
            label="Not before"
            hint="In your own time; left out: now. At most 30 days ahead"
            type="datetime-local"
            value={draft.sendAt}
            onChange={(event) => change({ sendAt: event.target.value })}
          />
          {(go.error ?? show.error) && <Problem error={go.error ?? show.error} />}
          <div className="flex gap-2">
            <Button type="submit" busy={show.isPending} disabled={draft.channels.length === 0}>
              Show what would be sent
            </Button>
            <Button
              kind="primary"
              busy={go.isPending}
              disabled={!show.data || show.data.accepted_channels.length === 0}
              onClick={() => go.mutate()}
            >
              Send
            </Button>
          </div>
        </form>
        {show.data ? (
          <PreviewOf answer={show.data} />
        ) : (
          <p className="rounded-lg border border-dashed border-line p-6 text-ink-2">
            What each channel would get stands here before anything is sent.
          </p>
        )}
      </div>
    </Page>
  );
}

function PreviewOf({ answer }: { answer: Accepted | Preview }) {
  const bodies = 'preview' in answer ? Object.entries(answer.preview) : [];
  return (
    <section aria-label="What would be sent" className="flex flex-col gap-4">
      {answer.rejected?.map(({ channel, reason }) => (
        <p key={channel} className="rounded-lg bg-warn-soft px-4 py-3">
          <Badge tone="warn">{channel}</Badge> would be left out: {reason}
        </p>
      ))}
      {bodies.map(([channel, body]) => (
        <div key={channel} className="flex flex-col gap-1">
          <h2 className="font-semibold">{channelLabel(channel)}</h2>
          <Json value={body} what={`what ${channel} would get`} />
        </div>
      ))}
    </section>
  );
}
