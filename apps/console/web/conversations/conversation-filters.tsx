// Filters of the conversation list; all are URL parameters.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Choice, Filters, STRETCH_OPTIONS, When, Words } from '../ui/filters.tsx';
import { rowLink } from '../ui/table.tsx';
import { CHANNELS, conversationsRoute, DIRECTIONS, ENDS, SORTS, STATUSES } from './routes.tsx';
import { words } from './status.tsx';

const inWords = (names: readonly string[]) => names.map((one) => [one, words(one)] as const);

interface ConversationFiltersProps {
  readonly bots: readonly { readonly id: string; readonly name: string }[];
  readonly filtered: boolean;
}

export function ConversationFilters({ bots, filtered }: ConversationFiltersProps) {
  const search = conversationsRoute.useSearch();
  return (
    <div className="flex flex-col gap-1">
      <Filters>
        <Words name="q" label="Id, number or text" value={search.q} wide />
        <Words name="from" label="From number" value={search.from} />
        <Words name="flow_id" label="Flow" value={search.flow_id} />
        <Choice name="status" label="State" value={search.status} options={inWords(STATUSES)} />
        <Choice
          name="has_error"
          label="Errors"
          value={search.has_error}
          options={[
            ['true', 'with errors'],
            ['false', 'without errors'],
          ]}
        />
        <Choice name="end_reason" label="End reason" value={search.end_reason} options={inWords(ENDS)} />
        <Choice name="channel" label="Channel" value={search.channel} options={inWords(CHANNELS)} />
        <Choice
          name="bot_id"
          label="Bot"
          value={search.bot_id}
          options={bots.map(({ id, name }) => [id, name] as const)}
        />
        <Choice name="last" label="Started" value={search.last} options={STRETCH_OPTIONS} />
        {search.flow_version !== undefined && <Badge tone="accent">version {search.flow_version}</Badge>}
        {filtered && (
          <Link to="/conversations" search={{}} className={rowLink}>
            Clear filters
          </Link>
        )}
      </Filters>
      <MoreFilters />
    </div>
  );
}

const TIMES = [
  ['started_after', 'Started after'],
  ['started_before', 'Started before'],
  ['ended_after', 'Ended after'],
  ['ended_before', 'Ended before'],
  ['updated_after', 'Updated after'],
  ['updated_before', 'Updated before'],
] as const;
const SORT_WORDS = {
  created_at: 'created',
  started_at: 'started',
  ended_at: 'ended',
  duration_seconds: 'duration',
};

/** Less common filters. Open when one of them is set. */
function MoreFilters() {
  const search = conversationsRoute.useSearch();
  const { to, language, tags, metadata, direction, duration_min, duration_max, sort, order } = search;
  const others = [to, language, tags, metadata, direction, duration_min, duration_max, sort, order];
  const used = [...others, ...TIMES.map(([name]) => search[name])].filter((one) => one !== undefined).length;
  const [open, setOpen] = useState(used > 0);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit py-1 text-ink-2 hover:text-ink">
        More filters{used > 0 && ` (${used} set)`}
      </summary>
      <Filters label="More filters">
        <Words name="tags" label="All of these tags" value={tags} />
        <Words name="metadata" label="Metadata: name=value" value={metadata} wide />
        <Words name="to" label="To number" value={to} />
        <Words name="language" label="Language" value={language} />
        <Choice name="direction" label="Direction" value={direction} options={inWords(DIRECTIONS)} />
        <Words name="duration_min" label="Minimum seconds" value={duration_min?.toString()} />
        <Words name="duration_max" label="Maximum seconds" value={duration_max?.toString()} />
        {TIMES.map(([name, label]) => (
          <When key={name} name={name} label={label} value={search[name]} />
        ))}
        <Choice
          name="sort"
          label="Sort by"
          value={sort}
          options={SORTS.map((one) => [one, SORT_WORDS[one]])}
        />
        <Choice
          name="order"
          label="Order"
          value={order}
          options={[
            ['desc', 'descending'],
            ['asc', 'ascending'],
          ]}
        />
      </Filters>
    </details>
  );
}
