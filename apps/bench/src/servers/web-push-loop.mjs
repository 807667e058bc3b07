// What a broadcast is measured against: `web-push`, sendNotification over a keep-alive agent, so
// many at once. Is told by message whom to send to, and answers with the counts.
import { Agent } from 'node:https';
import webPush from 'web-push';

let devices = [];
let next = 0;
let agent;

async function lane(until, options, payload) {
  let sent = 0;
  while (performance.now() < until) {
    const device = devices[(next += 1) % devices.length];
    const { statusCode } = await webPush.sendNotification(device, payload, options);
    if (statusCode !== 201) throw new Error(`the push service answered ${statusCode}`);
    sent += 1;
  }
  return sent;
}

process.on('message', async (message) => {
  if (message.devices) {
    devices = message.devices;
    process.send({ ready: true });
    return;
  }
  const { seconds, inFlight, vapid, payload } = message;
  agent ??= new Agent({ keepAlive: true, maxSockets: inFlight });
  const options = { vapidDetails: vapid, contentEncoding: 'aes128gcm', TTL: 60, agent };
  const startedAt = performance.now();
  try {
    const lanes = Array.from({ length: inFlight }, () => lane(startedAt + seconds * 1000, options, payload));
    const operations = (await Promise.all(lanes)).reduce((sum, sent) => sum + sent, 0);
    process.send({ operations, seconds: (performance.now() - startedAt) / 1000 });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
