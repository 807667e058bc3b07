// Filters of the conversation list; all are URL parameters.
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { ChoiceFilter, Filters, PERIOD_OPTIONS, TimeFilter, TextFilter } from '../ui/filters.tsx';
import { rowLink } from '../ui/table.tsx';
import { CHANNELS, DIRECTIONS, ENDS, SORTS, STATUSES } from '../filters/conversation-search.ts';
import { humanize } from './status.tsx';

const route = getRouteApi('/shell/conversations');

const toOptions = (names: readonly string[]) => names.map((one) => [one, humanize(one)] as const);

interface ConversationFiltersProps {
  readonly bots: readonly { readonly id: string; readonly name: string }[];
  readonly filtered: boolean;
}

export function ConversationFilters({ bots, filtered }: ConversationFiltersProps) {
  const search = route.useSearch();
  return (
    <div className="flex flex-col gap-1">
      <Filters>
        <TextFilter name="q" label="Id, number or text" value={search.q} wide />
        <TextFilter name="from" label="From number" value={search.from} />
        <TextFilter name="flow_id" label="Flow" value={search.flow_id} />
        <ChoiceFilter name="status" label="State" value={search.status} options={toOptions(STATUSES)} />
        <ChoiceFilter
          name="has_error"
          label="Errors"
          value={search.has_error}
          options={[
            ['true', 'with errors'],
            ['false', 'without errors'],
          ]}
        />
        <ChoiceFilter
          name="end_reason"
          label="End reason"
          value={search.end_reason}
          options={toOptions(ENDS)}
        />
        <ChoiceFilter name="channel" label="Channel" value={search.channel} options={toOptions(CHANNELS)} />
        <ChoiceFilter
          name="bot_id"
          label="Agent"
          value={search.bot_id}
          options={bots.map(({ id, name }) => [id, name] as const)}
        />
        <ChoiceFilter name="last" label="Started" value={search.last} options={PERIOD_OPTIONS} />
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
  started_at: 'started',
  created_at: 'first report',
  ended_at: 'ended',
  duration_seconds: 'duration',
  turn_count: 'number of turns',
};

/** Less common filters. Open when one of them is set. */
function MoreFilters() {
  const search = route.useSearch();
  const { error_code, to, language, tags, metadata, direction, duration_min, duration_max, sort, order } =
    search;
  const others = [
    error_code,
    to,
    language,
    tags,
    metadata,
    direction,
    duration_min,
    duration_max,
    sort,
    order,
  ];
  const used = [...others, ...TIMES.map(([name]) => search[name])].filter((one) => one !== undefined).length;
  const [open, setOpen] = useState(used > 0);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit py-1 text-ink-2 hover:text-ink">
        More filters{used > 0 && ` (${used} set)`}
      </summary>
      <Filters label="More filters">
        <TextFilter name="tags" label="All of these tags" value={tags} />
        <TextFilter name="metadata" label="Metadata: name=value" value={metadata} wide />
        <TextFilter name="error_code" label="Error code" value={error_code} />
        <TextFilter name="to" label="To number" value={to} />
        <TextFilter name="language" label="Language" value={language} />
        <ChoiceFilter name="direction" label="Direction" value={direction} options={toOptions(DIRECTIONS)} />
        <TextFilter name="duration_min" label="Minimum seconds" value={duration_min?.toString()} />
        <TextFilter name="duration_max" label="Maximum seconds" value={duration_max?.toString()} />
        {TIMES.map(([name, label]) => (
          <TimeFilter key={name} name={name} label={label} value={search[name]} />
        ))}
        <ChoiceFilter
          name="sort"
          label="Sort by"
          value={sort}
          options={SORTS.map((one) => [one, SORT_WORDS[one]])}
        />
        <ChoiceFilter
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
