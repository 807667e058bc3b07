// Opens and clicks of mails (docs/notifications.md#opens-and-clicks): what is sent, recorded and
// answered, and what a token allows.
import { describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { openToken } from '../../src/engagements/tracking-token.ts';
import { startPush } from '../push/push.ts';
import { BOTH, HTML, mailTo, PUBLIC_URL, tracking } from './tracking.ts';

const tracked = tracking();
const { attempt, follow, mailed, send, statusOf } = tracked;

describe('a mail', () => {
  test('without `track` keeps its HTML unchanged', async () => {
    expect((await mailed({})).html).toBe(HTML);
    expect((await mailed({ track: { opens: false } })).html).toBe(HTML);
  });

  test('redirects its links and counts each event once; HEAD and prefetch do not count', async () => {
    const { id, html, link, picture } = await mailed();
    expect(html).toContain('<a href="/here">');
    expect(link).toMatch(/^https:\/\/notify\.acme\.example\/v1\/track\/click\?token=[\w.-]+$/);
    const head = await follow(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('location')]).toEqual([302, 'https://shop.example/tea?a=1&b=2']);
    const ahead = await follow(link, { headers: { 'sec-purpose': 'prefetch;prerender' } });
    expect([ahead.status, ahead.headers.get('location')]).toEqual([204, null]);
    expect((await follow(picture, { method: 'HEAD' })).status).toBe(200);
    expect(await statusOf(id, 'email')).not.toHaveProperty('clicked_at');
    expect(await statusOf(id, 'email')).not.toHaveProperty('opened_at');

    for (const _ of [1, 2]) {
      const led = await follow(link);
      expect([led.status, led.headers.get('location')]).toEqual([302, 'https://shop.example/tea?a=1&b=2']);
      expect(led.headers.get('cache-control')).toBe('no-store');
      const seen = await follow(picture);
      expect([seen.status, seen.headers.get('content-type')]).toEqual([200, 'image/gif']);
      expect(
        Buffer.from(await seen.arrayBuffer())
          .subarray(0, 6)
          .toString(),
      ).toBe('GIF89a');
    }
    expect(await statusOf(id, 'email')).toMatchObject({
      status: 'sent',
      opened_at: expect.any(Number),
      clicked_at: expect.any(Number),
      clicks: 1,
    });
    const metrics = await (await fetch(`${tracked.service.server.url}/metrics`)).text();
    expect(metrics).toMatch(/engagements_total\{[^}]*channel="email"[^}]*event="clicked"[^}]*\} 1\b/);
  });

  test('has the same bytes in every attempt, and shows no token in a dry run', async () => {
    tracked.sendgrid.script({ status: 503 });
    const id = await send(mailTo({ track: BOTH }));
    await attempt(id, 'email');
    await tracked.service.deps.sql(
      'UPDATE deliveries SET next_attempt_at = now() WHERE notification_id = $1',
      [id],
    );
    await attempt(id, 'email');
    const bodies = tracked.sendgrid.requests.slice(-2).map(({ body }) => body.toString());
    expect(bodies[1]).toContain(`${PUBLIC_URL}/v1/track/click?token=`);
    expect(new Set(bodies).size).toBe(1);
    const preview = await tracked.api
      .post('/v1/notify', { message: 'x', ...mailTo({ track: BOTH }), dry_run: true })
      .expect(200);
    expect(JSON.stringify(preview.body)).toContain('/v1/track/click?token=[signed token]');
  });

  test('does not rewrite links of this service', async () => {
    await tracked.api.put('/v1/categories/news', { name: 'News' }).expect(201);
    await tracked.api.put('/v1/recipients/ann', { email: 'ann@customer.example' }).expect(201);
    const { url } = (await tracked.api.post('/v1/recipients/ann/link', {}).expect(200)).body as {
      url: string;
    };
    const own = `<a href="${url}">Preferences</a>`;
    const { html } = await mailed({
      track: { clicks: true },
      category: 'news',
      target: { email: { user_id: 'ann', html: own } },
    });
    expect(html).toBe(own);
    const { headers } = tracked.sendgrid.mails.at(-1)! as unknown as { headers: Record<string, string> };
    expect(headers['List-Unsubscribe']).toMatch(/^<https:\/\/notify\.acme\.example\/v1\/unsubscribe\?/);
  });
});

describe('a token', () => {
  test('refuses changed, misused and expired tokens with the same answer', async () => {
    const { link, picture } = await mailed();
    const token = (address: string) => address.slice(address.indexOf('token=') + 'token='.length);
    const [text, mac] = token(link).split('.') as [string, string];
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const other = Buffer.from(JSON.stringify([...parts.slice(0, 4), 'https://evil.example'])).toString(
      'base64url',
    );
    const click = `${PUBLIC_URL}/v1/track/click?token=`;
    const answers = await Promise.all(
      [`${other}.${mac}`, `${text}.${mac.slice(0, -1)}`, token(picture), 'x', ''].map((given) =>
        follow(`${click}${given}`),
      ),
    );
    const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(bodies.size).toBe(1);
    expect((await follow(picture.replace('/open', '/click'))).status).toBe(401);
    expect((await follow(link.replace('/click', '/open'))).status).toBe(401);
  });

  test('expires a year after its mail', async () => {
    const { link } = await mailed();
    const token = link.slice(link.indexOf('token=') + 'token='.length);
    const after = (days: number) => {
      const deps = { ...tracked.service.deps, clock: () => Date.now() + days * 86_400_000 };
      return openToken(deps, 'link', token);
    };
    expect(await after(364)).toMatchObject({ target: 'https://shop.example/tea?a=1&b=2' });
    await expect(after(366)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('redirects after its notification was deleted, with the same answer', async () => {
    const { id, link, picture } = await mailed();
    await tracked.service.deps.sql('DELETE FROM notifications WHERE id = $1', [id]);
    expect((await follow(link)).status).toBe(302);
    expect((await follow(picture)).status).toBe(200);
  });
});

test('tracking needs a public address; without one the channel is omitted', async () => {
  const bare = await startPush({ worker: false, env: { TEST_SENDGRID: 'SG.key' } });
  const give = (key: string, given: { value: string } | { reference: string }) =>
    setSetting(bare.deps.sql, 'acme', key, given, Date.now());
  try {
    await give('email_from', { value: 'alerts@acme.example' });
    await give('sendgrid_api_key', { reference: 'env://TEST_SENDGRID' });
    const target = { email: { email: 'ann@customer.example', html: HTML }, in_app: { user_id: 'ann' } };
    const body = { channels: ['email', 'in_app'], message: 'x', target, track: BOTH };
    const { rejected } = (await bare.api.post('/v1/notify', body).expect(202)).body as { rejected: object[] };
    expect(rejected).toEqual([{ channel: 'email', reason: 'no PUBLIC_URL, which tracking needs' }]);
  } finally {
    await bare.stop();
  }
});

test('readers of one organisation have their own rate limit, outside its plan', async () => {
  const { link, picture } = await mailed();
  const readPolicy = async (address: string) => (await follow(address)).headers.get('ratelimit-policy');
  expect(await readPolicy(picture)).toBe('"opens";q=500;w=1');
  expect(await readPolicy(link)).toBe('"clicks";q=500;w=1');
});
