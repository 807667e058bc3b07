// Subscribes and registers this browser. Call it on a click: browsers ask for permission only then.

/** @returns the answer of POST /v1/push/registrations. */
export async function subscribe({ apiBase, token }) {
  const call = async (method, path, body) => {
    const response = await fetch(`${apiBase}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  };

  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('notifications are not allowed');
  await navigator.serviceWorker.register('service-worker.js');
  const { pushManager } = await navigator.serviceWorker.ready;

  // A browser keeps its subscription and key, so register the same one again.
  const known = await pushManager.getSubscription();
  if (known) return call('POST', '/v1/push/registrations', { subscription: known });
  const { public_key: applicationServerKey, key_id } = await call('GET', '/v1/push/vapid-public-key');
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  return call('POST', '/v1/push/registrations', { subscription, key_id });
}
