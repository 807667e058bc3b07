// Queries the list of conversations. Converts between its URL parameters, queries and export
// filters.
import { queryOptions } from '@tanstack/react-query';
import { readData, voiceApi } from '../api/clients.ts';
import type { components } from '@parley/sdk/voice-api';
import { getPeriodStart } from '../ui/filters.tsx';
import type { ConversationQuery, ConversationSearch } from './conversation-search.ts';

export type ConversationFilter = components['schemas']['ExportFilter'];

export const conversationsQuery = (query: ConversationQuery) =>
  queryOptions({
    queryKey: ['conversations', query],
    queryFn: () => readData(voiceApi.GET('/v1/conversations', { params: { query } })),
  });

/** The API's limit. */
const TAGS_MAX = 20;

export function toFilter(search: ConversationSearch, nowMs: number): ConversationFilter {
  const { cursor: _cursor, sort: _sort, order: _order, ...filters } = search;
  const { last, status, end_reason, has_error, tags, metadata, ...same } = filters;
  return {
    ...same,
    ...(last && { started_after: getPeriodStart(last, nowMs) }),
    ...(status && { status: [status] }),
    ...(end_reason && { end_reason: [end_reason] }),
    ...(has_error && { has_error: has_error === 'true' }),
    ...(tags !== undefined && { tags: splitTags(tags) }),
    ...(metadata !== undefined && { metadata: toMember(metadata) }),
  };
}

export function toQuery(search: ConversationSearch, nowMs: number): ConversationQuery {
  const { metadata = {}, ...filter } = toFilter(search, nowMs);
  const { cursor, sort, order } = search;
  const members = Object.entries(metadata).map(
    ([name, value]) => [`metadata.${encodeURIComponent(name)}`, value] as const, // the client encodes values only
  );
  return { ...Object.fromEntries(members), ...filter, cursor, sort, order };
}

/** The list shows one value per filter, so this keeps the first of several. */
export function toSearch({
  status,
  end_reason,
  has_error,
  tags,
  metadata,
  ...same
}: ConversationFilter): ConversationSearch {
  const [member] = Object.entries(metadata ?? {});
  return {
    ...same,
    status: status?.[0],
    end_reason: end_reason?.[0],
    has_error: has_error === undefined ? undefined : has_error ? 'true' : 'false',
    tags: tags?.join(','),
    metadata: member?.join('='),
  };
}

const splitTags = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .slice(0, TAGS_MAX);

/** `name=value`, split at the first `=`. */
function toMember(text: string): Record<string, string> {
  const at = text.indexOf('=');
  return { [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
}
