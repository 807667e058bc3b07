// Shows what Parley pushes, and opens its url when it is clicked. `tag` makes a repeated message replace the first one.

/** Where Parley is reached; here under the same origin as the page. */
const API_BASE = self.location.origin;

self.addEventListener('push', (event) => {
  const { title, body, tag, url, data, notification_id, site_id, receipt, beacon, withdraw } =
    event.data.json();
  // It was read elsewhere: nothing is shown any more.
  if (withdraw) return event.waitUntil(takeBack(tag));
  // Safari and Firefox take the subscription away from a page that shows nothing: always show, whatever else is done.
  const kept = {
    url,
    data,
    notification_id,
    site_id,
    ...(receipt && { receipt }),
    ...(beacon && { beacon }),
  };
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: kept }));
});

async function takeBack(tag) {
  for (const shown of await self.registration.getNotifications({ tag })) shown.close();
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url, notification_id, receipt, beacon } = event.notification.data;
  if (beacon) event.waitUntil(tell(beacon, 'clicked'));
  if (receipt) {
    // The item of the inbox is read as well.
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
  if (beacon) event.waitUntil(tell(beacon, 'dismissed'));
});

/** A push that is tracked brings the address along. With the hash of the subscription each device counts once. */
async function tell(beacon, what) {
  try {
    const subscription = await self.registration.pushManager.getSubscription();
    const device = subscription ? `&device=${await sha256(subscription.endpoint)}` : '';
    await fetch(`${beacon}&event=${what}${device}`, { method: 'POST', mode: 'no-cors', keepalive: true });
  } catch {
    // Nobody reads it worse for that.
  }
}

async function sha256(text) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
