// Table cells of a send: its subject and the state of each channel.
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge.tsx';
import { Cell, rowLink } from '../ui/table.tsx';
import type { SendHead } from './api.ts';
import { channelLabel, STATUS_TONES } from './channels.ts';

export function SubjectCell({ of: { notification_id: id, subject } }: { of: SendHead }) {
  return (
    <Cell className="max-w-72 min-w-32">
      <Link
        to="/notifications/sent/$notificationId"
        params={{ notificationId: id }}
        title={id}
        className={`block truncate ${rowLink}`}
      >
        {subject}
      </Link>
    </Cell>
  );
}

export function ChannelsCell({ of: { channels } }: { of: SendHead }) {
  return (
    <Cell>
      <span className="flex flex-wrap gap-1">
        {channels.map(({ channel, status }) => (
          <Badge key={channel} tone={STATUS_TONES[status]}>
            {channelLabel(channel)}: {status.replace('_', ' ')}
          </Badge>
        ))}
        {channels.length === 0 && <Badge>to a topic</Badge>}
      </span>
    </Cell>
  );
}
