// Web push in this browser: service worker, subscription and registration
// (docs/notifications.md#web-push).
import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { readBody, notifications } from '../api/clients.ts';
import type { components } from '@parley/sdk/notifications';

export type PushRegistration = components['schemas']['PushRegistration'];

const WORKER = '/push-worker.js';
/** The worker only handles pushes, so it controls no other pages. */
const SCOPE = '/notifications/';
/** The service does not reveal endpoints, so the browser remembers its own registration. */
const KEPT_AS = 'push-registration';

const kept = z.object({ sub_id: z.string(), user_id: z.string().nullable() });
export type Here = z.output<typeof kept>;

/** Null when this browser can subscribe. */
export function whyNoPush(): string | null {
  if (!isSecureContext) return 'Web push needs https. Open the console at an https address.';
  return 'serviceWorker' in navigator && 'PushManager' in window
    ? null
    : 'This browser does not support web push. Use another browser.';
}

/** Null when this browser is not subscribed. */
export const hereQuery = queryOptions({
  queryKey: ['push', 'here'],
  queryFn: async (): Promise<Here | null> => {
    if (whyNoPush() !== null) return null;
    const worker = await navigator.serviceWorker.getRegistration(SCOPE);
    const subscription = await worker?.pushManager.getSubscription();
    const known = kept.safeParse(JSON.parse(localStorage.getItem(KEPT_AS) ?? 'null'));
    return subscription && known.success ? known.data : null;
  },
  staleTime: Infinity,
});

/** Call it from a click handler: otherwise browsers do not ask for permission. */
export async function subscribeHere(userId: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error(
      'This browser blocks notifications of the console. Allow them in the browser’s site settings.',
    );
  const { public_key, key_id } = await readBody(notifications.GET('/v1/push/vapid-public-key'));
  const { pushManager } = await activeWorker();
  // A subscription with an old key no longer works.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key });
  const subscription = made.toJSON() as components['schemas']['PushSubscription'];
  const registered = await readBody(
    notifications.POST('/v1/push/registrations', {
      body: { subscription, key_id, user_id: userId, platform: 'web' },
    }),
  );
  localStorage.setItem(KEPT_AS, JSON.stringify(kept.parse(registered)));
}

export async function unsubscribeHere({ sub_id }: Here) {
  const worker = await navigator.serviceWorker.getRegistration(SCOPE);
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
  localStorage.removeItem(KEPT_AS);
  return removeRegistration(sub_id);
}

export const removeRegistration = (subId: string) =>
  readBody(notifications.DELETE('/v1/push/registrations/{sub_id}', { params: { path: { sub_id: subId } } }));

async function activeWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(WORKER, { scope: SCOPE });
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  if (worker !== null && worker.state !== 'activated')
    await new Promise<void>((resolve) => {
      worker.addEventListener('statechange', () => worker.state === 'activated' && resolve());
    });
  return registration;
}

const pushed = z.object({
  pushed: z.object({ title: z.string(), body: z.string(), notification_id: z.string() }),
});
export type Pushed = z.output<typeof pushed>['pushed'];

/** Calls back for each push while the page is open. Returns a function that stops it. */
export function onPushed(call: (push: Pushed) => void): () => void {
  if (whyNoPush() !== null) return () => undefined;
  const listen = ({ data }: MessageEvent<unknown>) => {
    const message = pushed.safeParse(data);
    if (message.success) call(message.data.pushed);
  };
  navigator.serviceWorker.addEventListener('message', listen);
  return () => navigator.serviceWorker.removeEventListener('message', listen);
}
