// Shows what Parley pushes, and opens its url when it is clicked. `tag` makes a repeated message replace the first one.

self.addEventListener('push', (event) => {
  const { title, body, tag, url, data, notification_id, site_id } = event.data.json();
  // Safari and Firefox take the subscription away from a page that shows nothing: always show, whatever else is done.
  event.waitUntil(
    self.registration.showNotification(title, { body, tag, data: { url, data, notification_id, site_id } }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  if (!url) return;
  const target = new URL(url, self.location.origin);
  if (target.protocol === 'https:' || target.origin === self.location.origin) {
    event.waitUntil(self.clients.openWindow(target.href));
  }
});
