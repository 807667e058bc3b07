// A send to a topic: its fan-out. The notifications of its members, or of the occurrences of a
// recurring send.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../lists/list.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ChoiceFilter, TextFilter } from '../../ui/filters.tsx';
import { Section } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import { sendsQuery, type Sent } from '../api.ts';
import { SEND_STATUSES } from '../channels.ts';
import { SEND_COLUMNS } from '../send-columns.tsx';
import { useAgain } from '../use-again.ts';

const route = getRouteApi('/shell/notifications/sent/$notificationId');

type TopicStatus = NonNullable<Sent['topic']>;

const TONES: Readonly<Record<TopicStatus['status'], Tone>> = {
  queued: 'accent',
  sending: 'accent',
  sent: 'good',
  expired: 'neutral',
  canceled: 'neutral',
  failed: 'bad',
  quarantined: 'bad',
};

export function FanOut({ topic }: { topic: TopicStatus }) {
  return (
    <Section title="Topic">
      <Facts
        rows={[
          [
            'Topic',
            <Link
              key="topic"
              to="/notifications/topics/$topicId"
              params={{ topicId: topic.topic_id }}
              className={rowLink}
            >
              {topic.topic_id}
            </Link>,
          ],
          [
            'State',
            <Badge key="state" tone={TONES[topic.status]}>
              {topic.status}
            </Badge>,
          ],
          ['Members processed', count(topic.targeted)],
          ['Notifications', count(topic.accepted)],
          [
            'Suppressed',
            topic.suppressed > 0 && `${count(topic.suppressed)}: stopped by a preference or a suppression`,
          ],
          [
            'Unreachable',
            topic.unreachable > 0 &&
              `${count(topic.unreachable)}${topic.last_reason === null ? '' : `, for example: ${topic.last_reason}`}`,
          ],
        ]}
      />
    </Section>
  );
}

const count = (many: number): string => many.toLocaleString('en');

/** Filtered by member and state. */
export function Parts({ id, accepted, title }: { id: string; accepted: number; title: string }) {
  const { user, status, cursor } = route.useSearch();
  const list = useQuery({
    ...sendsQuery({
      parent_id: id,
      ...(user ? { user_id: user } : {}),
      ...(status ? { status } : {}),
      ...(cursor ? { cursor } : {}),
    }),
    placeholderData: (before) => before,
  });
  useAgain(list.refetch, accepted);
  return (
    <Section title={title}>
      <List
        label={title}
        columns={PART_COLUMNS}
        rowId={({ notification_id: one }) => one}
        list={list}
        filters={
          <>
            <TextFilter name="user" label="User" value={user} />
            <ChoiceFilter
              name="status"
              label="State"
              value={status}
              options={SEND_STATUSES.map((one) => [one, one.replace('_', ' ')])}
            />
          </>
        }
        empty={{ icon: 'notifications', title: 'No notifications' }}
        bare
      />
    </Section>
  );
}

const { notification, channels, accepted: acceptedAt } = SEND_COLUMNS;
const PART_COLUMNS = { notification: notification!, channels: channels!, accepted: acceptedAt! };
