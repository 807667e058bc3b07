// How a person is reached: addresses, devices, preferences, and addresses that get no mail.
import { Link } from '@tanstack/react-router';
import { SUPPRESSION_REASON_LABELS } from '../notifications/recipients/api.ts';
import { PreferencesOf } from '../notifications/recipients/preferences.tsx';
import { Badge } from '../ui/badge.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Time } from '../ui/time.tsx';
import { isMissing, type Person } from './api.ts';
import type { Handle } from './person.rules.ts';

interface ReachProps {
  readonly handle: Handle;
  readonly person: Person;
}

export function Reach({ handle, person }: ReachProps) {
  const { hasMessages, recipient } = person;
  if (!hasMessages) return null;
  const userId = handle.kind === 'id' ? handle.id : null;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {userId !== null && <Addresses userId={userId} person={person} />}
      <Suppressions person={person} />
      {userId !== null && <Devices userId={userId} person={person} />}
      {userId !== null && recipient.data && <PreferencesOf userId={userId} />}
      {userId === null && (
        <p className="text-xs text-ink-2">
          Devices and preferences belong to a user id. Enter the user id of this person to see them.
        </p>
      )}
    </div>
  );
}

function Addresses({ userId, person: { recipient } }: { readonly userId: string; readonly person: Person }) {
  const { data, error, isLoading, refetch } = recipient;
  return (
    <Section title="Recipient">
      {isLoading && <Loading subject="the recipient" />}
      {isMissing(error) && <p className="text-ink-2">No recipient with this id.</p>}
      {error && !isMissing(error) && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Facts
            rows={[
              ['E-mail', data.email ?? 'none'],
              ['Chat', data.chat_webhook?.host ?? 'none'],
              ['Language', data.language],
              ['Time zone', data.time_zone],
            ]}
          />
          <Link to="/notifications/recipients/$userId" params={{ userId }} className={rowLink}>
            Edit recipient
          </Link>
        </>
      )}
    </Section>
  );
}

function Suppressions({ person: { email, suppressions } }: { readonly person: Person }) {
  const { data, error, refetch } = suppressions;
  if (email === undefined) return null;
  return (
    <Section title="Mail">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="text-ink-2">{email} gets mail.</p>}
      {data?.items.map(({ id, reason, created_at: at }) => (
        <p key={id} className="flex flex-wrap items-center gap-2">
          <Badge tone="bad">no mail</Badge> {SUPPRESSION_REASON_LABELS[reason]}, <Time at={at} />
          <Link to="/notifications/suppressions" search={{ email }} className={rowLink}>
            Show
          </Link>
        </p>
      ))}
    </Section>
  );
}

function Devices({ userId, person: { devices } }: { readonly userId: string; readonly person: Person }) {
  const { data, error, refetch } = devices;
  if (isMissing(error)) return null; // web push is off
  return (
    <Section title="Devices">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="text-ink-2">No registered devices.</p>}
      {data && data.items.length > 0 && (
        <>
          <ul className="flex flex-col gap-1">
            {data.items.map(({ sub_id: id, endpoint_host: host, created_at: at }) => (
              <li key={id} className="flex gap-2">
                <span className="min-w-0 flex-1 truncate">{host}</span>
                <Time at={at} />
              </li>
            ))}
          </ul>
          <Link to="/notifications/push" search={{ user: userId }} className={rowLink}>
            Manage devices
          </Link>
        </>
      )}
    </Section>
  );
}
