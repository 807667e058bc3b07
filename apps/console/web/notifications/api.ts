// Sends and registered devices.
import { queryOptions } from '@tanstack/react-query';
import { readBody, notifications } from '../api/clients.ts';
import { useAction } from '../ui/action.ts';
import type { components, operations } from '@parley/sdk/notifications';

export type NotifyBody = operations['notify']['requestBody']['content']['application/json'];
export type Accepted = components['schemas']['NotifyAccepted'];
export type Preview = components['schemas']['NotifyPreview'];
export type Sent = components['schemas']['NotificationStatus'];
export type Item = components['schemas']['InAppNotification'];
export type Attempt = components['schemas']['DeliveryAttempts']['items'][number];
export type Pushed = components['schemas']['PushHistoryItem'];
export type RecurringSend = components['schemas']['RecurringSend'];
export type SendHead = components['schemas']['NotificationHead'];
export type SendQuery = NonNullable<operations['listSends']['parameters']['query']>;
export type RegistrationQuery = NonNullable<operations['listPushSubscriptions']['parameters']['query']>;

/** States that change soon. */
const UNDER_WAY = ['queued', 'sending'];
const UNDER_WAY_EVERY_MS = 2_000;

/** The idempotency key makes a double click one send. */
export const send = (body: NotifyBody, idempotencyKey: string): Promise<Accepted | Preview> =>
  readBody(
    notifications.POST('/v1/notify', { body, params: { header: { 'Idempotency-Key': idempotencyKey } } }),
  );

export const preview = (body: NotifyBody): Promise<Accepted | Preview> =>
  readBody(notifications.POST('/v1/notify', { body: { ...body, dry_run: true } }));

/** Whom the dry run of a broadcast reaches, in words; empty for any other send. */
export function audienceIn(answer: Accepted | Preview, body: NotifyBody): string {
  const devices = 'preview' in answer ? answer.preview['web_push']?.['devices'] : undefined;
  return [
    'everyone' in answer ? answer.everyone?.message : undefined,
    body.target?.web_push?.broadcast === true && typeof devices === 'number'
      ? `Goes to every device of the organisation: ${devices.toLocaleString('en')} ${devices === 1 ? 'device' : 'devices'}.`
      : undefined,
  ]
    .filter(Boolean)
    .join(' ');
}

/** One page has all categories that a plan allows. */
export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: () => readBody(notifications.GET('/v1/categories')),
});

const at = (id: string) => ({ params: { path: { id } } });

export const sentQuery = (id: string) =>
  queryOptions({
    queryKey: ['sent', id],
    queryFn: () => readBody(notifications.GET('/v1/notify/{id}', at(id))),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? UNDER_WAY_EVERY_MS : false),
  });

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['sent', id, 'attempts'],
    queryFn: () => readBody(notifications.GET('/v1/notify/{id}/attempts', at(id))),
  });

/** For a send to a topic this is the fan-out; the members' notifications have their own states. */
export const isUnderWay = ({ channels, topic }: Pick<SendHead, 'channels'> & Pick<Sent, 'topic'>): boolean =>
  [...channels, ...(topic ? [topic] : [])].some(({ status }) => UNDER_WAY.includes(status));

/** A hundred at most, which the operator sets. */
export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: async () => ({
    items: (await readBody(notifications.GET('/v1/senders', {}))).items,
    next_cursor: null as string | null,
  }),
});

export type RecurringQuery = NonNullable<operations['listRecurringSends']['parameters']['query']>;

export const recurringQuery = (query: RecurringQuery) =>
  queryOptions({
    queryKey: ['sends', 'recurring', query],
    queryFn: () => readBody(notifications.GET('/v1/recurring', { params: { query } })),
  });

export const sendsQuery = (query: SendQuery) =>
  queryOptions({
    queryKey: ['sends', query],
    queryFn: () => readBody(notifications.GET('/v1/notify', { params: { query } })),
    refetchInterval: ({ state }) => (state.data?.items.some(isSoonFurther) ? UNDER_WAY_EVERY_MS : false),
  });

/** A scheduled send does not change before its time. */
const isSoonFurther = (one: SendHead): boolean =>
  isUnderWay(one) && (one.send_at === undefined || one.send_at * 1000 <= Date.now());

/** Cancels the channels that are not sent yet. */
export const cancelSend = (id: string) => readBody(notifications.DELETE('/v1/notify/{id}', at(id)));

export const useCancel = () =>
  useAction(cancelSend, { says: 'Canceled what was not sent yet', reloads: ['sent', 'sends'] });

export const registrationsQuery = (query: RegistrationQuery) =>
  queryOptions({
    queryKey: ['push', 'registrations', query],
    queryFn: () => readBody(notifications.GET('/v1/push/registrations', { params: { query } })),
  });

const HISTORY_ROWS = 20;

export const pushHistoryQuery = (user: string) =>
  queryOptions({
    queryKey: ['push', 'history', user],
    queryFn: () =>
      readBody(
        notifications.GET('/v1/push/history', { params: { query: { user_id: user, limit: HISTORY_ROWS } } }),
      ),
  });
