// What the list of conversations is filtered by; all of it stands in the address.
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge.tsx';
import { Choice, Filters, STRETCH_OPTIONS, Words } from '../ui/filters.tsx';
import { rowLink } from '../ui/table.tsx';
import { CHANNELS, conversationsRoute, ENDS, STATUSES } from './routes.tsx';
import { words } from './status.tsx';

const inWords = (names: readonly string[]) => names.map((one) => [one, words(one)] as const);

interface ConversationFiltersProps {
  readonly bots: readonly { readonly id: string; readonly name: string }[];
  readonly filtered: boolean;
}

export function ConversationFilters({ bots, filtered }: ConversationFiltersProps) {
  const search = conversationsRoute.useSearch();
  return (
    <Filters>
      <Words name="q" label="Id, number or words" value={search.q} wide />
      <Words name="from" label="From number" value={search.from} />
      <Words name="flow_id" label="Flow" value={search.flow_id} />
      <Choice name="status" label="State" value={search.status} options={inWords(STATUSES)} />
      <Choice
        name="has_error"
        label="Errors"
        value={search.has_error}
        options={[
          ['true', 'with an error'],
          ['false', 'without'],
        ]}
      />
      <Choice name="end_reason" label="End" value={search.end_reason} options={inWords(ENDS)} />
      <Choice name="channel" label="Channel" value={search.channel} options={inWords(CHANNELS)} />
      <Choice
        name="bot_id"
        label="Bot"
        value={search.bot_id}
        options={bots.map(({ id, name }) => [id, name] as const)}
      />
      <Choice name="last" label="Started" value={search.last} options={STRETCH_OPTIONS} />
      {search.flow_version !== undefined && <Badge tone="accent">version {search.flow_version}</Badge>}
      {(search.started_after ?? search.started_before) && <Badge tone="accent">a stretch of time</Badge>}
      {filtered && (
        <Link to="/conversations" search={{}} className={rowLink}>
          Clear
        </Link>
      )}
    </Filters>
  );
}
