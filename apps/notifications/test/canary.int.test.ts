// Puts a secret into every secret position of the send operation and finds it nowhere afterwards:
// not in Postgres, the queue or the log. New channels add their positions here.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openQueues } from '@parley/jobs';
import { Secret } from '@parley/server/runtime';
import { setSetting } from '@parley/server/organizations';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { findSecrets, queueKeys } from './canary.ts';
import { startNotifications, type NotificationsUnderTest } from './service.ts';

const word = (place: string) => `canary${Buffer.from(place).toString('hex')}yranac`;
const signingSecret = Buffer.from(word('signing secret of the organisation')).toString('base64');

let outside: Receiver;
let service: NotificationsUnderTest;
beforeAll(async () => {
  outside = await receiver();
  service = await startNotifications({
    env: {
      CANARY_CHAT: `${outside.url}/hooks/${word('default chat')}`,
      CANARY_SIGNING: `whsec_${signingSecret}`,
    },
  });
  const set = (key: string, reference: string) =>
    setSetting(service.deps.sql, 'acme', key, { reference }, service.deps.clock());
  await set('chat_webhook_url', 'env://CANARY_CHAT');
  await set('webhook_secret', 'env://CANARY_SIGNING');
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});

const secrets = [word('chat'), word('default chat'), word('webhook'), word('stored reply'), signingSecret];

test('the search finds planted secrets', async () => {
  const planted = [word('planted')];
  await service.deps.sql(
    `INSERT INTO organization_settings (organization_id, key, value, updated_at) VALUES ('planted', 'k', $1, now())`,
    [`text ${planted[0]}`],
  );
  service.deps.log.info({ planted: Buffer.from(`x${planted[0]}y`).toString('base64') }, 'test.planted');
  const queues = openQueues({
    url: new Secret(service.env['QUEUE_URL']!),
    prefix: service.env['QUEUE_PREFIX']!,
    clock: service.deps.clock,
    log: service.deps.log,
  });
  const kind = {
    name: 'planted',
    queue: 'planted' as never,
    payload: undefined as never,
    attempts: 1,
    timeoutMs: 1,
  };
  await queues
    .producer<unknown>(kind)
    .enqueue([{ row: 'p', attempt: 1, enqueueNumber: 0, payload: { a: planted[0] } }]);
  const found = await findSecrets(service, planted);
  expect(found).toEqual(
    expect.arrayContaining([
      'postgres organization_settings.value',
      'log',
      expect.stringMatching(/^redis .*planted/),
    ]),
  );
  await queues.close();
});

test('no secret of a whole run is stored in the clear', async () => {
  const bodies = [
    {
      channels: ['chat'],
      message: 'x',
      target: { chat: { webhook_url: `${outside.url}/hooks/${word('chat')}` } },
    },
    { channels: ['chat'], message: 'x' },
    {
      channels: ['webhook'],
      message: 'x',
      target: { webhook: { url: `${outside.url}/?key=${word('webhook')}` } },
    },
    // A refused request must not repeat its secrets either.
    {
      channels: ['chat'],
      message: 'x',
      target: { chat: { webhook_url: `ftp://a.example/${word('chat')}` } },
    },
    {
      channels: ['webhook'],
      message: 'x',
      target: { webhook: { url: `https://user:${word('webhook')}@a.example/` } },
    },
  ];
  const answers = [];
  for (const body of bodies) {
    for (const dry_run of [true, false])
      answers.push(await service.api.post('/v1/notify', { ...body, dry_run }));
  }
  const keyed = await service.api
    .post('/v1/notify', {
      ...bodies[0],
      target: { chat: { webhook_url: `${outside.url}/hooks/${word('stored reply')}` } },
    })
    .set('Idempotency-Key', 'canary');
  answers.push(keyed);
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toEqual([200, 202, 200, 202, 200, 202, 400, 400, 400, 400, 202]);
  for (const { text } of answers) for (const secret of secrets) expect(text).not.toContain(secret);

  // The queue still holds the jobs before a worker runs.
  await eventually(async () => (await queueKeys(service.env)) > 0);
  expect(await findSecrets(service, secrets)).toEqual([]);

  // Providers that echo the request, once in an error.
  outside.script({ status: 500, body: secrets.join(' ') }, { status: 404, body: secrets.join(' ') });
  const worker = await startNotifications({ worker: true, env: service.env });
  await eventually(
    async () =>
      (await service.deps.sql("SELECT 1 FROM deliveries WHERE status IN ('queued', 'sending')")).length === 0,
  );
  expect(outside.requests.length).toBeGreaterThanOrEqual(4);
  expect(outside.requests.map(({ path }) => path).join()).toContain(word('default chat'));
  expect(await findSecrets(service, secrets)).toEqual([]);
  expect(await findSecrets({ ...service, log: worker.log }, secrets)).toEqual([]);
  expect(await service.deps.sql('SELECT 1 FROM deliveries WHERE sealed IS NOT NULL')).toEqual([]);
  await worker.stop();
});
