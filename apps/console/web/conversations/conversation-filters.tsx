// Filters of the conversation list; all are URL parameters.
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { ChoiceFilter, PERIOD_OPTIONS, TimeFilter, TextFilter } from '../ui/filters.tsx';
import { CHANNELS, DIRECTIONS, ENDS, STATUSES } from '../filters/conversation-search.ts';
import { humanize } from './status.tsx';

const route = getRouteApi('/shell/conversations');

const toOptions = (names: readonly string[]) => names.map((one) => [one, humanize(one)] as const);

interface ConversationFiltersProps {
  readonly bots: readonly { readonly id: string; readonly name: string }[];
}

export function ConversationFilters({ bots }: ConversationFiltersProps) {
  const search = route.useSearch();
  return (
    <>
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
      <MoreFilters />
    </>
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

/** Less common filters. Open when one of them is set. */
function MoreFilters() {
  const search = route.useSearch();
  const { error_code, to, language, tags, metadata, direction, duration_min, duration_max } = search;
  const others = [error_code, to, language, tags, metadata, direction, duration_min, duration_max];
  const used = [...others, ...TIMES.map(([name]) => search[name])].filter((one) => one !== undefined).length;
  const [open, setOpen] = useState(used > 0);
  return (
    <details
      className="order-1 basis-full"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="w-fit py-1 text-ink-2 hover:text-ink">
        More filters{used > 0 && ` (${used} set)`}
      </summary>
      <div className="flex flex-wrap items-center gap-2 max-sm:*:grow">
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
      </div>
    </details>
  );
}
