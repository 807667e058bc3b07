// The composer: recipients, channels, content and timing, with a preview of the exact bodies.
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { NotAllowed } from '../../session/access.tsx';
import { useMayOpen } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Page, Problem, STICKY_COLUMN } from '../../ui/page.tsx';
import { audienceIn, preview, send } from '../api.ts';
import { channelLabel, type Channel } from '../channels.ts';
import { NotificationTabs } from '../notification-tabs.tsx';
import { CategoryField } from './category-field.tsx';
import {
  channelsFor,
  findsChannels,
  draftFrom,
  isReady,
  requestOf,
  shownRequestOf,
  type Begin,
  type Draft,
} from './draft.rules.ts';
import { PreviewOf } from './preview-of.tsx';
import { TargetFields } from './target-fields.tsx';
import { TimingFields } from './timing-fields.tsx';
import { WhomFields } from './whom-fields.tsx';
import { WordsFields } from './words-fields.tsx';

const route = getRouteApi('/shell/notifications');

export function ComposePage() {
  const begin = route.useSearch();
  const mayOpen = useMayOpen();
  return (
    <Page title="Notifications">
      <NotificationTabs />
      {mayOpen({ service: 'notifications', scope: 'write' }) !== false ? (
        // Other initial values start a new notification.
        <Composer key={JSON.stringify(begin)} begin={begin} />
      ) : (
        <NotAllowed scope="write" icon="notifications" />
      )}
    </Page>
  );
}

function Composer({ begin }: { begin: Begin }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>(() => draftFrom(begin));
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const [isAsking, setIsAsking] = useState(false);
  const show = useAction(() => preview(shownRequestOf(draft)), { says: 'Preview shown', isShown: true });
  const go = useAction(() => send(requestOf(draft), idempotencyKey), {
    says: 'Parley accepted the notification',
    then: (answer) =>
      'notification_id' in answer &&
      navigate({
        to: '/notifications/sent/$notificationId',
        params: { notificationId: answer.notification_id },
      }),
  });
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setIdempotencyKey(crypto.randomUUID()); // a changed notification is another send
    show.reset();
    go.reset();
  };
  const choose = (channel: Channel, chosen: boolean) =>
    change({
      channels: chosen ? [...draft.channels, channel] : draft.channels.filter((one) => one !== channel),
    });
  const audience = show.data ? audienceIn(show.data, requestOf(draft)) : '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show.mutate();
  };
  return (
    <div className="grid items-start gap-8 lg:grid-cols-2">
      <form aria-label="Notification" className="flex min-w-0 flex-col gap-4" onSubmit={submit}>
        <WhomFields draft={draft} onChange={change} />
        <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
          <legend className="mb-1 font-medium">Channels</legend>
          {channelsFor(draft.whom).map((channel) => (
            <Checkbox
              key={channel}
              label={channelLabel(channel)}
              checked={draft.channels.includes(channel)}
              onChange={(event) => choose(channel, event.target.checked)}
            />
          ))}
          {findsChannels(draft) && draft.channels.length === 0 && (
            <p className="w-full text-xs text-ink-2">
              Select none to use every channel that reaches the recipient.
            </p>
          )}
        </fieldset>
        <TargetFields draft={draft} onChange={change} />
        <WordsFields draft={draft} onChange={change} />
        <CategoryField value={draft.category} onChange={(category) => change({ category })} />
        <TextField
          label="Send at"
          hint="In your time zone, at most 30 days ahead. Empty: now"
          type="datetime-local"
          value={draft.sendAt}
          onChange={(event) => change({ sendAt: event.target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Repeat"
            hint="A rule, for example FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0. Empty: once"
            maxLength={255}
            spellCheck={false}
            value={draft.repeats}
            onChange={(event) => change({ repeats: event.target.value })}
          />
          {draft.repeats !== '' && (
            <TextField
              label="Time zone of the rule"
              hint="For example Europe/Berlin. Default: the recipient’s time zone"
              maxLength={64}
              value={draft.repeatZone}
              onChange={(event) => change({ repeatZone: event.target.value })}
            />
          )}
        </div>
        <TimingFields timing={draft.timing} onChange={(timing) => change({ timing })} />
        {!isAsking && (go.error ?? show.error) && <Problem error={go.error ?? show.error} />}
        <div className="flex gap-2">
          <Button type="submit" busy={show.isPending} disabled={!isReady(draft)}>
            Preview
          </Button>
          <Button
            kind="primary"
            busy={go.isPending}
            disabled={!show.data || show.data.accepted_channels.length === 0}
            onClick={() => (audience !== '' || draft.whom === 'everyone' ? setIsAsking(true) : go.mutate())}
          >
            Send notification
          </Button>
        </div>
      </form>
      <Confirm
        title="Send to everyone?"
        open={isAsking}
        onClose={() => setIsAsking(false)}
        verb="Send to everyone"
        mutation={go}
        onConfirm={() => go.mutate()}
      >
        <p>{audience}</p>
        <p>To reach one person, choose a recipient under “To”.</p>
      </Confirm>
      <div className={STICKY_COLUMN}>
        {show.data ? (
          <PreviewOf answer={show.data} request={requestOf(draft)} />
        ) : (
          <p className="rounded-lg border border-dashed border-line p-6 text-ink-2">
            The preview shows what each channel sends. Preview the notification before you send it.
          </p>
        )}
      </div>
    </div>
  );
}
