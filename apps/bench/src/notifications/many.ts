// Sends to many (docs/performance.md#benches): a thousand in one call against calls of their own,
// and a send to a topic against the bare insert of as many rows.
import { cpuTimer } from '../cpu-time.ts';
import type { Variant } from '../harness.ts';
import { CONNECTIONS, startLoad, underLoad } from '../http-load.ts';
import { canPin } from '../pinned-process.ts';
import { until, withServiceStack, type MeasuredService, type ServiceStack } from '../service-stack.ts';
import type { Part } from '../suites.ts';

const WINDOW_SECONDS = 3;
/** A full call (docs/notifications.md#many-sends-in-one-call). */
const SENDS = 1_000;
/** A customer's nightly job. */
const CALLS_AT_ONCE = 2;
const SENDS_PER_SECOND_MIN = 5_000;
const PERSONAL_SENDS_PER_SECOND_MIN = 3_000;
const BULK = 'Parley bulk';
const PERSONAL = 'Parley bulk, a template that names the recipient';
const SINGLE = 'Parley notify, a call each';
/** A fan-out of some seconds. */
const MEMBERS = 20_000;
const FANNED_OUT_WITHIN_MS = 120_000;
const ITEMS_PER_SECOND_MIN = 3_000;
const TOPIC = 'Parley topic';
const BARE = 'bare insert';
/** Rows of a transaction of the bare insert, as members of a chunk. */
const ROWS = 500;
const MESSAGE = 'Your order has left our warehouse and will be with you tomorrow.';

const headersOf = ({ apiKey }: ServiceStack) => ({
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
});
const toUser = (index: number) => ({
  channels: ['in_app'],
  message: MESSAGE,
  target: { in_app: { user_id: `user-${index}` } },
});

const toRecipient = (index: number) => ({
  channels: ['in_app'],
  template: { id: 'order', data: { number: index } },
  target: { in_app: { user_id: `user-${index}` } },
});

export const bulkPart: Part = {
  title: 'bulk',
  open: (setting, measure, tell) =>
    withServiceStack('notifications', setting, async (stack) => {
      const load = startLoad(canPin(), setting.env);
      stack.onStop(() => load.stop());
      const service = await stack.startService('http');
      await seedRecipients(stack, service);
      const single = {
        url: `${service.origin}/v1/notify`,
        headers: headersOf(stack),
        bodies: [JSON.stringify(toUser(1))],
        marker: '"notification_id":"ntf_',
      };
      const measured = await measure({
        title: `In-app sends accepted, ${SENDS} a call, ${CALLS_AT_ONCE} calls at once`,
        operation: 'send',
        windowSeconds: WINDOW_SECONDS,
        variants: [
          bulk(stack, service, BULK, toUser),
          bulk(stack, service, PERSONAL, toRecipient),
          underLoad(SINGLE, load, service.process.pid, single),
        ],
        ratios: [{ of: 'rate', over: BULK, under: SINGLE, atLeast: 2 }],
        note:
          `each send writes the notification, its delivery and the inbox item; a call each: ${CONNECTIONS} at once. Service, Postgres, ` +
          'Redis and the load share the machine; stores write durably',
      });
      tellRate(tell, measured.variants, BULK, 'sends/s', SENDS_PER_SECOND_MIN);
      tellRate(tell, measured.variants, PERSONAL, 'sends/s', PERSONAL_SENDS_PER_SECOND_MIN);
    }),
};

export const topicPart: Part = {
  title: 'topic',
  open: (setting, measure, tell) =>
    withServiceStack('notifications', setting, async (stack) => {
      await seedTopic(stack);
      const service = await stack.startService('all');
      const measured = await measure({
        title: `A send to a topic of ${MEMBERS} members, in-app`,
        operation: 'item',
        windowSeconds: WINDOW_SECONDS,
        variants: [topic(stack, service), bareInsert(stack)],
        ratios: [{ of: 'rate', over: TOPIC, under: BARE }],
        note:
          'from POST /v1/notify to the commit of the last chunk; a member has a notification, a delivery and an inbox item. The bare ' +
          `insert is unnest of as many rows of key and JSON into one table, ${ROWS} a transaction`,
      });
      tellRate(tell, measured.variants, TOPIC, 'items/s', ITEMS_PER_SECOND_MIN);
    }),
};

function tellRate(
  tell: Parameters<Part['open']>[2],
  variants: readonly { readonly name: string; readonly perSecond: number }[],
  name: string,
  unit: string,
  atLeast: number,
): void {
  const { perSecond: value } = variants.find((variant) => variant.name === name)!;
  tell({ title: name, figures: [{ name, value, unit, atLeast }] });
}

/** Whole works of `operations` each until the time is up, several at once. */
function repeated(
  name: string,
  pid: number,
  operations: number,
  atOnce: number,
  work: () => Promise<void>,
): Variant {
  return {
    name,
    run: async (seconds) => {
      const cpu = cpuTimer([pid]);
      const startedAt = performance.now();
      let done = 0;
      const lane = async (): Promise<void> => {
        do {
          await work();
          done += operations;
        } while (performance.now() - startedAt < seconds * 1000);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
      const took = (performance.now() - startedAt) / 1000;
      return { operations: done, seconds: took, cpuSeconds: cpu() };
    },
  };
}

async function post(stack: ServiceStack, url: string, body: string): Promise<string> {
  const reply = await fetch(url, { method: 'POST', headers: headersOf(stack), body });
  const text = await reply.text();
  if (reply.status !== 202) throw new Error(`${reply.status} ${text}`);
  return text;
}

/** Stored recipients, and the template that names them. */
async function seedRecipients(stack: ServiceStack, { origin }: MeasuredService): Promise<void> {
  const put = async (path: string, body: object) => {
    const reply = await fetch(origin + path, {
      method: 'PUT',
      headers: headersOf(stack),
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  };
  const message = 'Hi {{ recipient.attributes.name }}, your order {{ number }} has left our warehouse.';
  const subject = 'Order {{ number }}';
  await put('/v1/templates/order', { default_locale: 'en', locales: [{ locale: 'en', subject, message }] });
  for (let index = 0; index < SENDS; index += 1)
    await put(`/v1/recipients/user-${index}`, { language: 'en', attributes: { name: `Ada ${index}` } });
}

function bulk(
  stack: ServiceStack,
  { origin, process: { pid } }: MeasuredService,
  name: string,
  toSend: (index: number) => object,
): Variant {
  const body = JSON.stringify({ sends: Array.from({ length: SENDS }, (_, index) => toSend(index)) });
  return repeated(name, pid, SENDS, CALLS_AT_ONCE, async () => {
    const text = await post(stack, `${origin}/v1/notify/bulk`, body);
    if (!text.startsWith(`{"accepted":${SENDS},`)) throw new Error(`not all of them: ${text.slice(0, 200)}`);
  });
}

function topic(stack: ServiceStack, { origin, process: { pid } }: MeasuredService): Variant {
  const body = JSON.stringify({ channels: ['in_app'], message: MESSAGE, target: { topic_id: 'all' } });
  return repeated(TOPIC, pid, MEMBERS, 1, async () => {
    const { notification_id: id } = JSON.parse(await post(stack, `${origin}/v1/notify`, body)) as {
      notification_id: string;
    };
    await until('the end of the fan-out', FANNED_OUT_WITHIN_MS, async () => {
      const { rows } = await stack.pool.query<{ outcome: string | null; accepted: number }>(
        'SELECT outcome, accepted FROM topic_sends WHERE id = $1',
        [id],
      );
      const [{ outcome, accepted }] = rows as [{ outcome: string | null; accepted: number }];
      if (outcome !== null && (outcome !== 'sent' || accepted !== MEMBERS))
        throw new Error(`the fan-out ended as ${outcome} with ${accepted}`);
      return outcome !== null;
    });
  });
}

async function seedTopic({ pool, organizationId }: ServiceStack): Promise<void> {
  await pool.query(
    "INSERT INTO topics (organization_id, id, member_count, created_at, updated_at) VALUES ($1, 'all', $2, now(), now())",
    [organizationId, MEMBERS],
  );
  await pool.query(
    `INSERT INTO topic_members (organization_id, topic_id, user_id, created_at)
     SELECT $1::text, 'all', 'user-' || n, now() - interval '1 second' FROM generate_series(1, $2::int) AS n`,
    [organizationId, MEMBERS],
  );
  // What autovacuum does within its minute.
  await pool.query('ANALYZE topic_members');
  await pool.query('CREATE TABLE bench_rows (id text PRIMARY KEY, data jsonb)');
}

function bareInsert({ pool }: ServiceStack): Variant {
  let count = 0;
  return repeated(BARE, process.pid, ROWS, 1, async () => {
    const ids = Array.from({ length: ROWS }, () => `bare-${(count += 1)}`);
    const data = ids.map((id) => JSON.stringify({ user_id: id, title: MESSAGE, body: MESSAGE }));
    await pool.query('INSERT INTO bench_rows SELECT * FROM unnest($1::text[], $2::jsonb[])', [ids, data]);
  });
}
