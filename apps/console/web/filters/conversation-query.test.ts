import { expect, test } from '@jest/globals';
import { toFilter, toQuery, toSearch } from './conversation-query.ts';
import type { ConversationSearch } from './conversation-search.ts';

const NOW = Date.parse('2026-11-22T12:00:30.000Z');
const search = {
  q: 'order',
  status: 'failed',
  has_error: 'false',
  tags: 'vip, refund,',
  metadata: 'order no=10=42',
  duration_min: 30,
  last: '1h',
  sort: 'duration_seconds',
  cursor: 'next',
} as ConversationSearch;

test('a filter has every filter parameter, without sort and cursor', () => {
  expect(toFilter(search, NOW)).toEqual({
    q: 'order',
    started_after: '2026-11-22T11:00:00.000Z',
    status: ['failed'],
    has_error: false,
    tags: ['vip', 'refund'],
    metadata: { 'order no': '10=42' },
    duration_min: 30,
  });
});

test('a query has filters, sort and cursor, and metadata by name', () => {
  const { metadata: _metadata, ...filter } = toFilter(search, NOW);
  expect(toQuery(search, NOW)).toEqual({
    ...filter,
    'metadata.order%20no': '10=42',
    cursor: 'next',
    sort: 'duration_seconds',
  });
});

test('no parameters make an empty query', () => {
  expect(Object.values(toQuery({}, NOW)).filter(Boolean)).toEqual([]);
});

test('a filter converts back to URL parameters', () => {
  const { last: _last, sort: _sort, cursor: _cursor, ...rest } = search;
  const filter = toFilter(search, NOW);
  expect(toSearch(filter)).toEqual({
    ...rest,
    tags: 'vip,refund',
    started_after: '2026-11-22T11:00:00.000Z',
  });
  expect(toFilter(toSearch(filter), NOW)).toEqual(filter);
});
