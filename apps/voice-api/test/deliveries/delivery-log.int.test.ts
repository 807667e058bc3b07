// What the log stores of each attempt (request, answer, timings) and what it hides.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { receiver, type Receiver } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { commit, dataOf, event, FAST_WAITS, LOOPBACK, registered, settled } from '../webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { ...LOOPBACK, ...FAST_WAITS } });
  outside = await receiver();
});
afterAll(async () => {
  await service.stop();
  await outside.close();
});

interface DeliveryDetails {
  attempt_log: {
    url: string | null;
    request_headers: Record<string, string>;
    response_headers: Record<string, string>;
    timings: Record<string, number | null>;
    answer: string;
  }[];
}
const shown = async (deliveryId: string) =>
  dataOf<DeliveryDetails>(await service.api.get(`/v1/deliveries/${deliveryId}`).expect(200)).attempt_log;

test('has failed and successful attempts with headers and timings', async () => {
  const cookie = { 'set-cookie': 'canary-session=1', 'x-served-by': 'edge-7' };
  outside.script(
    { status: 500, headers: cookie, body: 'x'.repeat(10_000) },
    { status: 200, headers: cookie, body: 'thanks', afterMs: 100 },
  );
  const url = `${outside.url}/hooks?tenant=7`;
  const webhook = await registered(service, url, { headers: { 'X-Key': 'canary-key' } });
  await commit(service, [event({ trace: { requestId: 'the-cause' } })]);
  const [one] = await settled(service, webhook.id, 'delivered');
  const [failed, succeeded] = await shown(one!.id);
  expect(failed).toMatchObject({
    url,
    answer: 'x'.repeat(4_096),
    request_headers: {
      'content-type': 'application/json',
      'webhook-id': one!.event_id,
      'webhook-signature': 'v1,***',
      'x-delivery-attempt': '1',
      'x-key': '***',
      'x-request-id': 'the-cause',
      'x-signature-256': 'sha256=***',
    },
    response_headers: { 'set-cookie': '***', 'x-served-by': 'edge-7' },
    // An IP address needs no DNS, and http no TLS.
    timings: {
      dns_ms: null,
      connect_ms: expect.any(Number),
      tls_ms: null,
      first_byte_ms: expect.any(Number),
    },
  });
  expect(succeeded).toMatchObject({
    url,
    answer: 'thanks',
    request_headers: { 'x-delivery-attempt': '2' },
    timings: { tls_ms: null },
  });
  expect(succeeded!.timings['first_byte_ms']).toBeGreaterThanOrEqual(100);
  for (const table of ['webhook_deliveries', 'webhook_delivery_attempts'])
    expect(JSON.stringify(await service.deps.sql(`SELECT * FROM ${table}`))).not.toContain('canary');
});

test('has the request but no answer of an unreachable receiver', async () => {
  const gone = await receiver();
  await gone.close();
  const webhook = await registered(service, gone.url);
  await service.api.post(`/v1/webhooks/${webhook.id}/test`, {}).expect(200);
  const [one] = await settled(service, webhook.id, 'exhausted');
  expect(await shown(one!.id)).toMatchObject([
    { url: gone.url, error_class: 'connect_refused', response_headers: null, answer: null },
  ]);
});

test('has null for the members of an exchange that is not stored', async () => {
  const webhook = await registered(service, outside.url);
  await commit(service, [event()]);
  const [one] = await settled(service, webhook.id, 'delivered');
  await service.deps.sql('UPDATE webhook_deliveries SET exchange = NULL WHERE id = $1', [one!.id]);
  expect(await shown(one!.id)).toMatchObject([
    { status: 200, url: null, request_headers: null, timings: null },
  ]);
});
