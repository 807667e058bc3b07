import { afterEach, expect, test } from '@jest/globals';
import { makeQueryClient } from '../api/query-client.ts';
import { findLocally, searchQuery } from './find.ts';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const addresses = (words: string) => findLocally(words, () => true).map(({ to }) => to);

test('finds pages by part of their name, ignoring case', () => {
  expect(addresses(' KEY ')).toEqual(['/keys']);
  expect(addresses('')).toContain('/conversations');
  expect(addresses('no such place')).toEqual([]);
});

test.each([
  ['ntf_01m820snr1qtjzcm81phtmjmbc', ['/notifications/sent/ntf_01m820snr1qtjzcm81phtmjmbc']],
  [' wh_01m820snr1qtjzcm81phtmjmbc ', ['/webhooks/wh_01m820snr1qtjzcm81phtmjmbc']],
  ['ntf_x', []],
  ['evt_01m820snr1qtjzcm81phtmjmbc', []],
])('finds a resource by its id: %s', (text, to) => {
  expect(addresses(text)).toEqual(to);
});

test.each(['dlv_01m82k8h24efnyfq6b9a9wbe38', 'evt_01m82k8h0v6k4q4s32sy9k8g4t'])(
  'finds a delivery by its id or by its event id: %s',
  async (words) => {
    const asked: string[] = [];
    const one = { id: 'dlv_1', webhook_id: 'wh_1', event: 'bot.message', status: 'exhausted' };
    globalThis.fetch = (async ({ url }: Request) => {
      const { pathname, search } = new URL(url);
      if (pathname.includes('/deliveries')) asked.push(pathname + search);
      const list = pathname.includes('/deliveries/') ? one : { items: [one] };
      const data = pathname.includes('/deliveries') ? list : { items: [] };
      return Response.json({ success: true, data, meta: { request_id: 'r', timestamp: '' } });
    }) as typeof fetch;
    const found = await makeQueryClient().fetchQuery(searchQuery(words, ['voice-api']));
    expect(found.map(({ to }) => to)).toEqual(['/webhooks/wh_1/deliveries/dlv_1']);
    expect(asked).toEqual([
      words.startsWith('dlv')
        ? `/api/voice-api/v1/deliveries/${words}`
        : `/api/voice-api/v1/deliveries?event_id=${words}`,
    ]);
  },
);
