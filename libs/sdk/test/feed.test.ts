// A reader of the feed goes on from the place that the service names after a restore.
import { expect, test } from '@jest/globals';
import { ApiError, Parley } from '../src/index.ts';

test('an outdated position is an error with the place to go on from, and is not repeated', async () => {
  const asked: (string | null)[] = [];
  const fetch = (url: string | URL | Request) => {
    asked.push(new URL(url instanceof Request ? url.url : url).searchParams.get('after'));
    const details = { next_after: '1796000000000.2-' };
    const body = { success: false, error: { code: 'POSITION_OUTDATED', message: 'Go on.', details } };
    const headers = { 'content-type': 'application/json' };
    return Promise.resolve(new Response(JSON.stringify(body), { status: 410, headers }));
  };
  const parley = new Parley({ voiceApi: { url: 'http://voice.example', key: 'va_x' }, fetch });
  const error = await parley.voiceApi.readEvents({ after: '1-' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 410,
    code: 'position_outdated',
    body: { error: { details: { next_after: '1796000000000.2-' } } },
  });
  expect(asked).toEqual(['1-']);
});
