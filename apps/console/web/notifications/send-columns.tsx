// The columns of a list of sends.
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { SendHead } from './api.ts';
import { channelLabel, STATUS_TONES } from './channels.ts';

export const SEND_COLUMNS: Columns<SendHead> = {
  notification: {
    head: 'Notification',
    place: 'name',
    className: 'md:max-w-72 md:min-w-32',
    cell: ({ notification_id: id, subject }) => (
      <Link
        to="/notifications/sent/$notificationId"
        params={{ notificationId: id }}
        title={id}
        className={`block truncate ${rowLink}`}
      >
        {subject}
      </Link>
    ),
  },
  channels: {
    head: 'Channels',
    cell: ({ channels }) => (
      <span className="inline-flex flex-wrap gap-1">
        {channels.map(({ channel, status }) => (
          <Badge key={channel} tone={STATUS_TONES[status]}>
            {channelLabel(channel)}: {status.replace('_', ' ')}
          </Badge>
        ))}
        {channels.length === 0 && <Badge>to a topic</Badge>}
      </span>
    ),
  },
  source: { head: 'Source', minor: true, cell: ({ source }) => source },
  send_at: {
    head: 'Send at',
    minor: true,
    cell: ({ send_at: at }) => at !== undefined && <Time at={at} absolute />,
  },
  accepted: { head: 'Accepted', cell: ({ created_at: at }) => <Time at={at} /> },
};
