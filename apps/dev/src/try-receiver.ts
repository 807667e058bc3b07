// One of the sample receivers of apps/voice-api/test/receivers, in a process of its own, and what
// it is put through: real deliveries, the same one twice, and tampered ones.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyOf, callService, type ServiceAccess } from './call-service.ts';

/** Delivered within milliseconds; a conversation's transcript follows after 5 s. */
const WAIT_MS = 120_000;
const LOOK_EVERY_MS = 50;

export interface SampleReceiver {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /**
   * It verifies `webhook-signature` alone, with the public key: what is wrong elsewhere it does not
   * see.
   */
  readonly asymmetric?: true;
}

/** A request as it came in. */
interface Captured {
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

/** @throws Error that says what was expected of the receiver and what it printed instead. */
export async function tryReceiver(
  voiceApi: ServiceAccess,
  sample: SampleReceiver,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const capture = await startCapture();
  let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined;
  try {
    // Of the webhook itself, so that the copies of it are signed with its own key pair.
    const webhookId = await register(voiceApi, capture.url, secret);
    bodyOf(await callService(voiceApi, 'POST', `/v1/webhooks/${webhookId}/test`, {}), 200);
    const genuine = await capture.first();
    const keys = `${voiceApi.origin}/.well-known/webhook-keys/${webhookId}`;
    receiver = await startReceiver(
      sample,
      { ...env, WEBHOOK_SECRET: secret, WEBHOOK_KEYS: keys, PORT: '0' },
      signal,
    );
    bodyOf(await callService(voiceApi, 'PATCH', `/v1/webhooks/${webhookId}`, { url: receiver.url }), 200);
    const conversationId = `receivers-${Date.now().toString(36)}`;
    await speak(voiceApi, conversationId);
    for (const event of EXPECTED) await receiver.prints(new RegExp(`^accepted ${event} evt_`));

    const [delivered] = bodyOf<{ data: { items: { id: string; event_id: string }[] } }>(
      await callService(voiceApi, 'GET', `/v1/webhooks/${webhookId}/deliveries?status=delivered`),
      200,
    ).data.items;
    if (!delivered) throw new Error('the delivery log shows nothing that was delivered');
    bodyOf(
      await callService(voiceApi, 'POST', `/v1/webhooks/${webhookId}/deliveries/${delivered.id}/retry`),
      202,
    );
    await receiver.prints(new RegExp(`^repeated ${delivered.event_id}$`));

    await expectAnswer(receiver.url, genuine, 204, 'a genuine copy');
    const copies = { ...tamperedCopies(genuine), ...(sample.asymmetric ? {} : tamperedElsewhere(genuine)) };
    for (const [what, tampered] of Object.entries(copies))
      await expectAnswer(receiver.url, tampered, 400, what);
  } finally {
    receiver?.stop();
    capture.close();
  }
}

/** What a conversation of one question and one answer tells its webhooks. */
const EXPECTED = [
  'conversation.started',
  'speech.final',
  'bot.message',
  'conversation.ended',
  'transcript.ready',
] as const;

async function speak(voiceApi: ServiceAccess, conversationId: string): Promise<void> {
  const event = (index: number, type: string, data: object) => ({
    id: `${conversationId}-${index}`,
    type,
    conversation_id: conversationId,
    occurred_at: new Date().toISOString(),
    data,
  });
  const events = [
    event(0, 'conversation.started', { channel: 'web', language: 'en', metadata: { note: 'ü€😀 \u2028 "' } }),
    event(1, 'speech.final', { turn_index: 0, text: 'Grüße, is the café open?', confidence: 0.93 }),
    event(2, 'bot.message', { turn_index: 1, text: 'It is 😀 until ten.' }),
    event(3, 'conversation.ended', { duration_seconds: 12.5 }),
  ];
  const answer = bodyOf<{ data: { accepted: number; rejected: unknown[] } }>(
    await callService(voiceApi, 'POST', '/v1/conversations/events', { events }),
    200,
    202,
  );
  if (answer.data.accepted !== events.length)
    throw new Error(`of ${events.length} events were taken: ${JSON.stringify(answer.data)}`);
}

async function register(voiceApi: ServiceAccess, url: string, secret: string): Promise<string> {
  const body = { url, secret, events: ['*'], asymmetric: true };
  return bodyOf<{ data: { id: string } }>(await callService(voiceApi, 'POST', '/v1/webhooks', body), 201).data
    .id;
}

function without({ body, headers }: Captured, name: string): Captured {
  const { [name]: _gone, ...rest } = headers;
  return { body, headers: rest };
}

/** Copies that a receiver has to refuse who looks at the other header. */
function tamperedElsewhere(genuine: Captured): Record<string, Captured> {
  const { body, headers } = genuine;
  return {
    'another signature': { body, headers: { ...headers, 'x-signature-256': `sha256=${'0'.repeat(64)}` } },
    'no signature in the header': without(genuine, 'x-signature-256'),
  };
}

/** Copies that a receiver has to refuse, each with one thing wrong. */
function tamperedCopies(genuine: Captured): Record<string, Captured> {
  const { body, headers } = genuine;
  const text = body.toString('utf8');
  const changed = (over: Record<string, string>): Captured => ({ body, headers: { ...headers, ...over } });
  const standard = String(headers['webhook-signature']).replaceAll(
    /[A-Za-z0-9+/]{8}(?==*( |$))/g,
    'AAAAAAAA',
  );
  return {
    'a changed body': { body: Buffer.from(text.replace('"data"', '"Data"')), headers },
    'a body that was written again': {
      body: Buffer.from(JSON.stringify(JSON.parse(text), null, 1)),
      headers,
    },
    'another webhook-id': changed({ 'webhook-id': 'evt_another' }),
    'an old request': changed({ 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 3_600) }),
    'other Standard Webhooks signatures': changed({ 'webhook-signature': standard }),
    'no Standard Webhooks signature': without(genuine, 'webhook-signature'),
  };
}

async function expectAnswer(
  url: string,
  { body, headers }: Captured,
  status: number,
  what: string,
): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`${what} was answered ${response.status}, not ${status}`);
}

async function startReceiver(
  { program, args }: SampleReceiver,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
) {
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  child.on('error', () => undefined); // stopped by the signal; else it prints nothing, and that is reported
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const prints = async (pattern: RegExp): Promise<string> => {
    for (const endMs = performance.now() + WAIT_MS; ; await delay(LOOK_EVERY_MS, undefined, { signal })) {
      const line = lines.find((one) => pattern.test(one));
      if (line !== undefined) return line;
      if (performance.now() > endMs || child.exitCode !== null)
        throw new Error(`it did not print ${String(pattern)} but:\n${lines.join('\n') || '(nothing)'}`);
    }
  };
  const stop = (): void => void child.kill('SIGKILL');
  try {
    const listening = await prints(/^listening on http/);
    return { url: listening.replace('listening on ', ''), prints, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** A receiver of our own for the same events: what it gets is what is tampered with. */
async function startCapture() {
  const requests: Captured[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const kept = Object.entries(request.headers).filter(([name]) =>
        /^(webhook-|x-|content-type)/.test(name),
      );
      requests.push({
        body: Buffer.concat(chunks),
        headers: Object.fromEntries(kept) as Record<string, string>,
      });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    first: async (): Promise<Captured> => {
      for (const endMs = performance.now() + WAIT_MS; performance.now() < endMs; await delay(LOOK_EVERY_MS))
        if (requests[0]) return requests[0];
      throw new Error('no delivery to tamper with arrived');
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
