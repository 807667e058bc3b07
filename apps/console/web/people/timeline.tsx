// The conversations and notifications of a person, newest first.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListedConversation } from '../conversations/api.ts';
import { Status } from '../conversations/status.tsx';
import type { SendHead } from '../notifications/api.ts';
import { channelLabel, STATUS_TONES } from '../notifications/channels.ts';
import { Badge } from '../ui/badge.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Empty, Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { formatDuration, Time, type Moment } from '../ui/time.tsx';
import type { Person } from './api.ts';
import { toTimeline } from './person.rules.ts';

interface Entry {
  readonly key: string;
  readonly at: Moment;
  readonly icon: IconName;
  readonly link: ReactNode;
  readonly state: ReactNode;
  readonly detail: string;
}

export function Timeline({ person: { from, to, sends } }: { readonly person: Person }) {
  const queries = [from, to, sends];
  const entries = toTimeline(
    [...(from.data?.items ?? []), ...(to.data?.items ?? [])].map(fromConversation),
    (sends.data?.items ?? []).map(fromSend),
  );
  const failed = queries.filter(({ error }) => error !== null);
  const isLoading = queries.some((query) => query.isLoading);
  return (
    <Section title="Timeline">
      {failed.map(({ error, refetch }, at) => (
        <Problem key={at} error={error} onRetry={() => void refetch()} />
      ))}
      {isLoading && <Loading subject="the timeline" />}
      {!isLoading && entries.length === 0 && failed.length < queries.length && (
        <Empty icon="search" title="Nothing found">
          No conversation and no notification of this person. Check the spelling; phone numbers begin with the
          country code.
        </Empty>
      )}
      {entries.length > 0 && (
        <ol aria-label="Timeline" className="divide-y divide-line rounded-lg border border-line">
          {entries.map(({ key, icon, link, state, detail, at }) => (
            <li key={key} className="flex items-start gap-2.5 px-3 py-2">
              <Icon name={icon} className="mt-0.5 text-ink-2" />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  {link} {state}
                </span>
                {detail !== '' && <span className="block text-xs text-ink-2 wrap-anywhere">{detail}</span>}
              </span>
              <span className="text-xs text-ink-2">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

const KINDS: Readonly<Record<string, string>> = { phone: 'Call', sip: 'Call', web: 'Web call', chat: 'Chat' };

function fromConversation(one: ListedConversation): Entry {
  const { id, channel, direction, duration_seconds: seconds, summary } = one;
  const kind = KINDS[channel ?? ''] ?? 'Conversation';
  const length = seconds === null ? '' : `, ${formatDuration(seconds * 1000)}`;
  return {
    key: id,
    at: one.started_at ?? one.created_at,
    icon: 'conversations',
    link: (
      <Link to="/conversations/$conversationId" params={{ conversationId: id }} className={rowLink}>
        {kind}
        {direction === 'outbound' ? ' to them' : ''}
        {length}
      </Link>
    ),
    state: <Status of={one} />,
    detail: summary ?? one.error?.message ?? (one.end_reason ?? '').replaceAll('_', ' '),
  };
}

function fromSend({ notification_id: id, subject, channels, created_at: at }: SendHead): Entry {
  return {
    key: id,
    at,
    icon: 'notifications',
    link: (
      <Link to="/notifications/sent/$notificationId" params={{ notificationId: id }} className={rowLink}>
        {subject}
      </Link>
    ),
    state: channels.map(({ channel, status }) => (
      <Badge key={channel} tone={STATUS_TONES[status]}>
        {channelLabel(channel)}: {status.replace('_', ' ')}
      </Badge>
    )),
    detail: '',
  };
}
