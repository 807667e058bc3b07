// Fixtures for tests of timing: a service, a receiver of chat messages, and a clock that the test
// sets.
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Caller } from '@parley/server/http';
import { receiver, type Receiver } from '@parley/testing';
import type { Deps } from '../../src/deps.ts';
import { createWorkflowReader } from '../../src/accept/apply-workflow.ts';
import { acceptNotification } from '../../src/accept/accept-notification.ts';
import { getNotification } from '../../src/notifications/read-status.ts';
import { notifyRequest } from '../../src/accept/request/notify-request.ts';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';
import { deliver } from '../work.ts';

export interface Answer {
  notification_id: string;
  accepted_channels: string[];
  rejected?: { channel: string; reason: string }[];
  digest?: { closes_at: number; count: number };
}

export const context = { requestId: 'r', traceparent: null } as unknown as Parameters<
  typeof acceptNotification
>[3]['request'];

/** These sends are not counted. */
export const uncharged = async (): Promise<void> => undefined;

/** Each test has its own organisation. */
export function timing() {
  let service: NotificationsUnderTest;
  let outside: Receiver;
  let caller: Caller;
  let counter = 0;

  beforeAll(async () => {
    outside = await receiver();
    service = await startNotifications();
  });
  afterAll(async () => {
    await service.stop();
    await outside.close();
  });
  beforeEach(() => {
    counter += 1;
    caller = {
      organizationId: `org-${counter}`,
      principal: 'key_1',
      scopes: new Set(['admin']),
    } as unknown as Caller;
  });
  afterEach(() => {
    outside.requests.length = 0;
  });

  const chatTo = (path = '/') => ({ chat: { webhook_url: `${outside.url}${path}`, format: 'generic' } });
  const deliveries = (id: string) =>
    service.deps.sql<{ id: string; channel: string; next_attempt_at: Date | null }>(
      'SELECT id, channel, next_attempt_at FROM deliveries WHERE notification_id = $1 ORDER BY id',
      [id],
    );

  return {
    get deps() {
      return service.deps;
    },
    get outside() {
      return outside;
    },
    get caller() {
      return caller;
    },
    at: (iso: string): Deps => ({ ...service.deps, clock: () => Date.parse(iso) }),
    chatTo,
    api: async () => service.as(await service.issueKey(caller.organizationId)),
    send: async (deps: Deps, body: object, as = caller): Promise<Answer> => {
      const given = notifyRequest(deps).parse({
        channels: ['chat'],
        message: 'Hello',
        target: chatTo(),
        ...body,
      });
      const request = await createWorkflowReader(deps, deps.sql, as.organizationId)(given);
      return (await acceptNotification(deps, as, request, {
        request: context,
        transaction: undefined,
        charge: uncharged,
      })) as unknown as Answer;
    },
    dueOf: async (id: string, channel = 'chat'): Promise<string | undefined> => {
      const row = (await deliveries(id)).find((one) => one.channel === channel);
      return row?.next_attempt_at?.toISOString();
    },
    attempt: async (deps: Deps, id: string, channel = 'chat'): Promise<void> => {
      await deliver(deps, (await deliveries(id)).find((one) => one.channel === channel)!.id);
    },
    status: async (id: string, channel = 'chat') => {
      const { channels } = await getNotification(service.deps, caller, id);
      return channels.find((one) => one.channel === channel)!;
    },
    texts: () => outside.requests.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text),
  };
}
