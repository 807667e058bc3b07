import { expect, test } from '@jest/globals';
import { toDeliveryQuery } from './delivery-query.ts';
import { deliveriesSearch } from './delivery-search.ts';

const NOW = Date.parse('2026-11-22T12:00:30.000Z');
const read = (search: object) => deliveriesSearch.parse(search);

test('turns the URL parameters into a query; a relative period starts on a whole minute', () => {
  const search = read({ conversation_id: 'call-1', http_status: '502', error_class: 'timeout', last: '1h' });
  expect(toDeliveryQuery(search, NOW)).toEqual({
    conversation_id: 'call-1',
    http_status: 502,
    error_class: 'timeout',
    since: '2026-11-22T11:00:00.000Z',
  });
});

test('ignores invalid parameters; without filters the query is empty', () => {
  const search = read({ http_status: 'teapot', error_class: 'bad_luck', status: 'lost', event: 4 });
  expect(toDeliveryQuery(search, NOW)).toEqual({});
});

test('passes absolute times on unchanged', () => {
  const since = '2026-11-20T08:00:00.000Z';
  expect(toDeliveryQuery(read({ since, until: since }), NOW)).toEqual({ since, until: since });
});
