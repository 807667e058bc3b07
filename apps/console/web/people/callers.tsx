// The callers of the latest conversations.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccess } from '../session/access.tsx';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { Cell, Row, rowLink, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { callersQuery, type Caller } from './api.ts';

/** What the page finds a caller by: the number, the address or the customer's id. */
const toName = ({ id }: Caller): string => id.slice(id.indexOf(':') + 1);

export function Callers() {
  const hasVoice = useAccess()('voice-api') === 'signed_in';
  const { data, error, isLoading, refetch } = useQuery({ ...callersQuery, enabled: hasVoice });
  if (!hasVoice || data?.items.length === 0) return null;
  return (
    <Section title="Recent callers">
      {isLoading && <Loading subject="the callers" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <Table label="Recent callers" head={['Caller', 'Conversations', 'Languages', 'Last']}>
          {data.items.map((caller) => (
            <Row key={caller.id}>
              <Cell>
                <Link to="/people" search={{ who: toName(caller) }} className={rowLink}>
                  {toName(caller)}
                </Link>
              </Cell>
              <Cell>{`${caller.conversations}${caller.conversations_is_at_least ? ' or more' : ''}`}</Cell>
              <Cell>{caller.languages.join(', ')}</Cell>
              <Cell>
                <Time at={caller.last_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Section>
  );
}
