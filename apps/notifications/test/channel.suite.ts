// The guarantees of every channel. Each channel's test file runs this suite with a fake provider.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import type { ChannelName } from '@parley/jobs';
import { findSecrets } from './canary.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

/** The other side of a channel, with scripted answers. */
export interface Provider {
  /** Answers for the next attempts. Later ones are accepted. */
  answers(...answers: ProviderAnswer[]): void;
  /** Times of the attempts that arrived (epoch ms). */
  attempts(): readonly number[];
}

export type ProviderAnswer =
  | { readonly status: number; readonly retryAfterSeconds?: number; readonly body?: string }
  | 'hang' // never answers
  | 'reset'; // resets the connection

export interface ChannelParts {
  readonly name: ChannelName;
  /** Environment that the channel needs. `secrets` repeats its secret values. */
  readonly env: Readonly<Record<string, string>>;
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: string;
  /** `target.<name>` of a request. */
  readonly target: unknown;
  /** The final status after the provider accepted. */
  readonly success: 'sent' | 'delivered';
  /** Absent for a channel that delivers when it is accepted. */
  readonly provider?: Provider;
  /** Statuses without a further attempt. */
  readonly finalStatuses?: readonly number[];
  /** Statuses with a further attempt; default: docs/notifications.md#attempts. */
  readonly retryStatuses?: readonly number[];
  /** The status after the provider hangs: a retry, or `unknown`. */
  readonly afterHang?: 'again' | 'unknown';
  /** Values that must not appear anywhere. */
  readonly secrets: readonly string[];
  /** Creates what a fresh service needs: settings, subscriptions. */
  readonly prepare?: (service: NotificationsUnderTest) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Channel {
  channel: string;
  status: string;
  attempts: number;
  last_error_class: string | null;
  sent_at: number | null;
}

/** Long enough for a busy machine, short enough for a test. */
const TIMEOUT_MS = 1_500;
/** One more than the waits below. */
const ATTEMPTS_MAX = 3;
const RETRY_STATUSES = [408, 425, 429, 500, 502, 503, 504];

export function channelGuarantees(name: ChannelName, makeParts: () => Promise<ChannelParts>): void {
  describe(`the channel ${name}`, () => {
    let parts: ChannelParts;
    let service: NotificationsUnderTest;
    beforeAll(async () => {
      parts = await makeParts();
      service = await startNotifications({
        worker: true,
        ...(parts.ca === undefined ? {} : { ca: parts.ca }),
        env: {
          DELIVERY_TIMEOUT_MS: String(TIMEOUT_MS),
          DELIVERY_RETRY_WAITS_MS: '20,40',
          ...parts.env,
        },
      });
      await parts.prepare?.(service);
    });
    afterAll(async () => {
      await service.stop();
      await parts.close();
    });

    async function send(more: object = {}): Promise<string> {
      const reply = await service.api.post('/v1/notify', {
        channels: [name],
        message: 'The kettle boils.',
        target: { [name]: parts.target },
        ...more,
      });
      expect(reply.body).toMatchObject({ notification_id: expect.any(String) });
      return (reply.body as { notification_id: string }).notification_id;
    }

    async function readChannel(id: string): Promise<Channel> {
      const body = await readBody(service.api.get(`/v1/notify/${id}`).expect(200));
      return (body as { channels: Channel[] }).channels.find(({ channel }) => channel === name)!;
    }

    async function ended(id: string): Promise<Channel> {
      await eventually(async () => !['queued', 'sending'].includes((await readChannel(id)).status), {
        timeoutMs: 15_000,
      });
      return readChannel(id);
    }

    test('reports when it was sent in the status, the log and the metrics', async () => {
      const id = await send();
      expect(await ended(id)).toMatchObject({
        status: parts.success,
        attempts: 1,
        last_error_class: null,
        sent_at: expect.any(Number),
      });
      const metric = `delivery_attempts_total{channel="${name}",outcome="${parts.success}",service="notifications"}`;
      expect(await service.deps.metrics.text()).toContain(metric);
    });

    test('a dry run shows no secret and sends nothing', async () => {
      const before = parts.provider?.attempts().length ?? 0;
      const rows = () => service.deps.sql('SELECT id FROM notifications');
      const rowsBefore = await rows();
      const reply = await service.api
        .post('/v1/notify', {
          channels: [name],
          message: 'The kettle boils.',
          target: { [name]: parts.target },
          dry_run: true,
        })
        .expect(200);
      expect(reply.body).toMatchObject({ dry_run: true, preview: { [name]: expect.any(Object) } });
      for (const secret of parts.secrets) expect(reply.text).not.toContain(secret);
      expect(parts.provider?.attempts().length ?? 0).toBe(before);
      expect(await rows()).toEqual(rowsBefore);
    });

    test('an in-app channel of the same send is neither repeated nor failed by it', async () => {
      if (name === 'in_app') return void expect((await ended(await send())).status).toBe('delivered');
      parts.provider!.answers({ status: 503 }, { status: 503 });
      const id = await send({ channels: [name, 'in_app'] });
      expect(await ended(id)).toMatchObject({
        status: parts.success,
        attempts: 3,
        last_error_class: expect.any(String),
      });
      const items = await service.deps.sql('SELECT id FROM in_app_items WHERE notification_id = $1', [id]);
      expect(items).toHaveLength(1);
    });

    test('no secret appears in a row, the queue, the log or an answer', async () => {
      if (parts.provider) {
        parts.provider.answers({ status: 500 }, { status: 400, body: parts.secrets.join(' ') });
        await ended(await send());
      }
      const id = await send();
      await ended(id);
      const status = await service.api.get(`/v1/notify/${id}`);
      const attempts = await service.api.get(`/v1/notify/${id}/attempts`);
      for (const secret of parts.secrets) expect(status.text + attempts.text).not.toContain(secret);
      expect(await findSecrets(service, parts.secrets)).toEqual([]);
    });

    if (name !== 'in_app') describeAttempts();

    function describeAttempts(): void {
      test('retries statuses that mean "not now"', async () => {
        for (const status of parts.retryStatuses ?? RETRY_STATUSES) {
          parts.provider!.answers({ status });
          const channel = await ended(await send());
          expect({ status, channel }).toMatchObject({
            status,
            channel: { status: parts.success, attempts: 2 },
          });
        }
      });

      test('does not retry statuses that mean "never"', async () => {
        for (const status of parts.finalStatuses ?? [400, 404, 422]) {
          const before = parts.provider!.attempts().length;
          parts.provider!.answers({ status });
          const channel = await ended(await send());
          expect({ status, attempts: channel.attempts }).toEqual({ status, attempts: 1 });
          expect(channel.status).not.toBe(parts.success);
          expect(channel.last_error_class).toEqual(expect.any(String));
          expect(parts.provider!.attempts().length - before).toBe(1);
        }
      });

      test('retries a broken connection', async () => {
        parts.provider!.answers('reset');
        expect(await ended(await send())).toMatchObject({ status: parts.success, attempts: 2 });
      });

      test('a hanging provider holds it at most for its time-out', async () => {
        parts.provider!.answers('hang');
        const channel = await ended(await send());
        if (parts.afterHang === 'unknown') expect(channel).toMatchObject({ status: 'unknown', attempts: 1 });
        else
          expect(channel).toMatchObject({ status: parts.success, attempts: 2, last_error_class: 'timeout' });
      });

      test('obeys Retry-After', async () => {
        const before = parts.provider!.attempts().length;
        parts.provider!.answers({ status: 429, retryAfterSeconds: 1 });
        await ended(await send());
        const [first, second] = parts.provider!.attempts().slice(before) as [number, number];
        expect(second - first).toBeGreaterThanOrEqual(950); // the clocks may round differently
      });

      test('fails after the allowed number of attempts, each of them in the log', async () => {
        parts.provider!.answers(...Array.from({ length: ATTEMPTS_MAX }, () => ({ status: 503 })));
        const id = await send();
        expect(await ended(id)).toMatchObject({ status: 'failed', attempts: ATTEMPTS_MAX });
        const body = await readBody(service.api.get(`/v1/notify/${id}/attempts`).expect(200));
        expect(body).toMatchObject({
          items: [
            { channel: name, attempt: 1, outcome: 'retry' },
            { attempt: 2, outcome: 'retry' },
            { attempt: 3, outcome: 'failed' },
          ],
          next_cursor: null,
        });
      });
    }
  });
}

/** Makes a provider from testkit's receiver. */
export function receiverAsProvider(outside: {
  readonly requests: readonly { readonly receivedAtMs: number }[];
  script(
    ...answers: ('hang' | 'reset' | { status: number; headers?: Record<string, string>; body?: string })[]
  ): void;
}): Provider {
  return {
    attempts: () => outside.requests.map(({ receivedAtMs }) => receivedAtMs),
    answers: (...answers) =>
      outside.script(
        ...answers.map((answer) =>
          typeof answer === 'string'
            ? answer
            : {
                status: answer.status,
                body: answer.body ?? '',
                headers: retryAfter(answer.retryAfterSeconds),
              },
        ),
      ),
  };
}

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
