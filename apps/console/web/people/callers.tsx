// The callers of the latest conversations.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { List } from '../lists/list.tsx';
import { useAccess } from '../session/access.tsx';
import { Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { callersQuery, type Caller } from './api.ts';

/** What the page finds a caller by: the number, the address or the customer's id. */
const toName = ({ id }: Caller): string => id.slice(id.indexOf(':') + 1);

export function Callers() {
  const hasVoice = useAccess()('voice-api') === 'signed_in';
  const list = useQuery({ ...callersQuery, enabled: hasVoice });
  if (!hasVoice || list.data?.items.length === 0) return null;
  return (
    <Section title="Recent callers">
      <List
        label="Recent callers"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={{ ...list, data: list.data && { items: list.data.items } }}
        empty={null}
        bare
      />
    </Section>
  );
}

const COLUMNS: Columns<Caller> = {
  caller: {
    head: 'Caller',
    place: 'name',
    cell: (caller) => (
      <Link to="/people" search={{ who: toName(caller) }} className={rowLink}>
        {toName(caller)}
      </Link>
    ),
  },
  conversations: {
    head: 'Conversations',
    cell: (caller) => `${caller.conversations}${caller.conversations_is_at_least ? ' or more' : ''}`,
  },
  languages: { head: 'Languages', cell: ({ languages }) => languages.join(', ') },
  last: { head: 'Last', cell: ({ last_at: at }) => <Time at={at} /> },
};
