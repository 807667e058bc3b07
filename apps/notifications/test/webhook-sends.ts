// Fixtures for tests that start services with different settings: sends over the webhook channel to
// the test's receiver, and their results.
import { afterEach, beforeEach } from '@jest/globals';
import { receiver, type Receiver } from '@parley/testing';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

export interface WebhookSends {
  /** A new receiver for every test. */
  readonly outside: Receiver;
  /** Stopped after the test. */
  start(options?: Parameters<typeof startNotifications>[0]): Promise<NotificationsUnderTest>;
  /** Returns the notification's id. */
  sendWebhook(service: NotificationsUnderTest, more?: object): Promise<string>;
}

/** Registers the hooks of the test file. */
export function webhookSends(): WebhookSends {
  let outside: Receiver;
  const running: NotificationsUnderTest[] = [];
  beforeEach(async () => {
    outside = await receiver();
  });
  afterEach(async () => {
    for (const service of running.splice(0).reverse()) await service.stop();
    await outside.close();
  });
  return {
    get outside() {
      return outside;
    },
    start: async (options = {}) => {
      const service = await startNotifications(options);
      running.push(service);
      return service;
    },
    sendWebhook: async (service, more = {}) => {
      const request = {
        channels: ['webhook'],
        message: 'The kettle boils.',
        target: { webhook: { url: outside.url } },
        ...more,
      };
      const body = await readBody(service.api.post('/v1/notify', request).expect(202));
      return (body as { notification_id: string }).notification_id;
    },
  };
}

export interface DeliveryRow {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly sealed: string | null;
  readonly last_error_class: string | null;
  readonly next_ring_at: Date | null;
}

export async function findDelivery(
  { deps }: Pick<NotificationsUnderTest, 'deps'>,
  notificationId: string,
): Promise<DeliveryRow> {
  const [row] = await deps.sql<DeliveryRow>('SELECT * FROM deliveries WHERE notification_id = $1', [
    notificationId,
  ]);
  return row!;
}
