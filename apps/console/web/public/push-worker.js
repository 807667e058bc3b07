// Shows what is pushed to this browser, and tells the open pages of the console that it came.
self.addEventListener('push', (event) => {
  const { title, body, tag, url, notification_id } = event.data.json();
  const shown = self.registration.showNotification(title, { body, tag, data: { url, notification_id } });
  event.waitUntil(Promise.all([shown, tell({ pushed: { title, body, notification_id } })]));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url, notification_id } = event.notification.data;
  const target = new URL(url || `/notifications/sent/${notification_id}`, self.location.origin);
  if (target.protocol === 'https:' || target.origin === self.location.origin)
    event.waitUntil(self.clients.openWindow(target.href));
});

async function tell(message) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const page of pages) page.postMessage(message);
}
