// Shows pushes of Parley and opens their url on a click. A repeated message replaces the first
// one by its `tag`.

/** Address of Parley; here the same origin as the page. */
const API_BASE = self.location.origin;
/** Your address that answers the signed-in user's request with an identity token, as text. */
const TOKEN_URL = '/parley-token';

self.addEventListener('push', (event) => {
  const { title, body, tag, url, data, notification_id, site_id, receipt, beacon, withdraw } =
    event.data.json();
  // The item was read elsewhere: remove its notification.
  if (withdraw) return event.waitUntil(closeByTag(tag));
  // Always show something: Safari and Firefox revoke subscriptions after silent pushes.
  const stored = {
    url,
    data,
    notification_id,
    site_id,
    ...(receipt && { receipt }),
    ...(beacon && { beacon }),
  };
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: stored }));
});

async function closeByTag(tag) {
  for (const notification of await self.registration.getNotifications({ tag })) notification.close();
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url, notification_id, receipt, beacon } = event.notification.data;
  if (beacon) event.waitUntil(report(beacon, 'clicked'));
  if (receipt) {
    // Mark the inbox item as read too.
    const read = `${API_BASE}/v1/push/read?receipt=${notification_id}.${receipt}`;
    event.waitUntil(fetch(read, { method: 'POST', mode: 'no-cors' }).catch(() => undefined));
  }
  if (!url) return;
  const target = new URL(url, self.location.origin);
  if (target.protocol === 'https:' || target.origin === self.location.origin) {
    event.waitUntil(self.clients.openWindow(target.href));
  }
});

self.addEventListener('notificationclose', (event) => {
  const { beacon } = event.notification.data;
  if (beacon) event.waitUntil(report(beacon, 'dismissed'));
});

/** Reports to the beacon of a tracked push. The endpoint's hash makes each device count once. */
async function report(beacon, what) {
  try {
    const subscription = await self.registration.pushManager.getSubscription();
    const device = subscription ? `&device=${await sha256(subscription.endpoint)}` : '';
    await fetch(`${beacon}&event=${what}${device}`, { method: 'POST', mode: 'no-cors', keepalive: true });
  } catch {
    // Tracking must not disturb the reader.
  }
}

async function sha256(text) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// The browser replaced or dropped the subscription: register the new one. Without this, pushes are
// lost until the user visits a page that registers again.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event.newSubscription)));

async function renew(renewed) {
  const token = await (await fetch(TOKEN_URL)).text();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const key = await (await fetch(`${API_BASE}/v1/push/vapid-public-key`, { headers })).json();
  // Firefox announces the change without a new subscription.
  const own = renewed
    ? { subscription: renewed }
    : { subscription: await subscribe(key.public_key), key_id: key.key_id };
  const body = JSON.stringify(own);
  await fetch(`${API_BASE}/v1/push/registrations`, { method: 'POST', headers, body });
}

function subscribe(applicationServerKey) {
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}
