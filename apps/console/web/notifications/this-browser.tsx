// Registers this browser as a device and shows the pushes that it receives.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { May } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Time } from '../ui/time.tsx';
import { send } from './api.ts';
import {
  hereQuery,
  onPushed,
  subscribeHere,
  unsubscribeHere,
  whyNoPush,
  type Here,
  type Pushed,
} from './push-here.ts';

export function ThisBrowser() {
  const here = useQuery(hereQuery);
  const whyNot = whyNoPush();
  return (
    <Section title="This browser">
      {whyNot !== null && <p className="text-ink-2">{whyNot}</p>}
      {here.error && <Problem error={here.error} />}
      {whyNot === null && here.data === null && (
        <May service="notifications" scope="write">
          <Subscribe />
        </May>
      )}
      {here.data && <Subscribed here={here.data} />}
    </Section>
  );
}

function Subscribe() {
  const [user, setUser] = useState('');
  const subscribe = useAction(() => subscribeHere(user.trim()), {
    says: 'This browser is subscribed',
    reloads: ['push'],
  });
  return (
    <form
      className="flex max-w-xl flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        subscribe.mutate();
      }}
    >
      <p className="text-ink-2">Register this browser as a device of a user to see their web pushes.</p>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="User of this device"
            required
            maxLength={255}
            value={user}
            onChange={(event) => setUser(event.target.value)}
          />
        </div>
        <Button kind="primary" type="submit" busy={subscribe.isPending}>
          Subscribe this browser
        </Button>
      </div>
      {subscribe.error && <Problem error={subscribe.error} />}
    </form>
  );
}

/** Pushes received while the page is open, newest first. */
const RECEIVED_MAX = 10;
type Received = Pushed & { readonly at: number };

function Subscribed({ here }: { here: Here }) {
  const [received, setReceived] = useState<readonly Received[]>([]);
  const queryClient = useQueryClient();
  useEffect(
    () =>
      onPushed((push) => {
        setReceived((before) => [{ ...push, at: Date.now() / 1000 }, ...before].slice(0, RECEIVED_MAX));
        void queryClient.invalidateQueries({ queryKey: ['push', 'history'] });
      }),
    [queryClient],
  );
  const test = useAction(() => sendTest(here), { says: 'Push sent', isShown: true });
  const leave = useAction(() => unsubscribeHere(here), {
    says: 'This browser is unsubscribed',
    reloads: ['push'],
    fails: () => queryClient.invalidateQueries({ queryKey: ['push'] }),
  });
  const error = test.error ?? leave.error;
  return (
    <div className="flex max-w-xl flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="good">subscribed</Badge>
        <span>as a device of {here.user_id ?? 'no user'}</span>
        <span className="ml-auto flex gap-2">
          <Button busy={test.isPending} disabled={here.user_id === null} onClick={() => test.mutate()}>
            Send test push
          </Button>
          <Button kind="quiet" busy={leave.isPending} onClick={() => leave.mutate()}>
            Unsubscribe
          </Button>
        </span>
      </div>
      {error && <Problem error={error} />}
      <div aria-live="polite" className="flex flex-col gap-1">
        {received.length === 0 && test.data && (
          <p className="text-ink-2">
            Push sent. {'notification_id' in test.data && <HowSent id={test.data.notification_id} />}
          </p>
        )}
        {received.map((push) => (
          <p key={`${push.notification_id} ${push.at}`} className="rounded-md border border-line px-3 py-1.5">
            <b className="font-medium">{push.title}</b> <span className="text-ink-2">{push.body}</span>{' '}
            <span className="text-xs text-ink-2">
              received <Time at={push.at} /> <HowSent id={push.notification_id} />
            </span>
          </p>
        ))}
      </div>
    </div>
  );
}

const HowSent = ({ id }: { id: string }) => (
  <Link to="/notifications/sent/$notificationId" params={{ notificationId: id }} className={rowLink}>
    View notification
  </Link>
);

const sendTest = ({ user_id }: Here) =>
  send(
    {
      channels: ['web_push'],
      subject: 'It works',
      message: 'This browser receives web push.',
      target: { web_push: { user_id: user_id ?? '', site_only: false, urgency: 'normal' } },
      dry_run: false,
    },
    crypto.randomUUID(),
  );
