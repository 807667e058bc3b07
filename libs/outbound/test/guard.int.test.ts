// From host name to connection: every address checked, a checked one used, nothing revealed
// outside.
import { afterEach, describe, expect, test } from '@jest/globals';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { eventually, receiver } from '@parley/testing';
import type { Outcome, Resolve } from '../src/index.ts';
import { outboundUnderTest } from './outbound-under-test.ts';
import { httpAnswer, rawReceiver, testCa, type RawReceiver } from './raw-receiver.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const FAR_MS = 10_000;
const NAME = 'hooks.example.com';

/** A resolver that gives these answers, one each, then repeats the last one; counts its calls. */
function scripted(...answers: (readonly string[])[]): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (host) => {
      asked.push(host);
      return answers[Math.min(asked.length, answers.length) - 1] ?? [];
    },
  };
}

/** A TLS receiver on loopback, and an Outbound with 127.0.0.1 as public and its port as allowed. */
async function secured(
  options: Parameters<typeof outboundUnderTest>[0] & { receiver?: Parameters<typeof rawReceiver>[1] },
) {
  const { receiver = { certificate: 'server.pem' }, ...rest } = options;
  const raw = await rawReceiver((socket) => socket.write(httpAnswer(200, 'here')), receiver);
  opened.push(raw);
  const outbound = outboundUnderTest({ ca: testCa, ports: [raw.port], ...rest });
  opened.push(outbound);
  return { raw, outbound, url: `https://${NAME}:${raw.port}/hook` };
}

function failed(outcome: Outcome) {
  if (outcome.ok) throw new Error(`expected a failure, got ${outcome.status}`);
  return outcome;
}

/** What a customer can read of an outcome in a row or an answer. */
function shown(outcome: Outcome): string {
  return JSON.stringify({ ...outcome, ms: 0 });
}

test("a trace has the durations of opening the connection, once, and the answer's headers", async () => {
  const { resolve } = scripted(['127.0.0.1']);
  const { outbound, url } = await secured({ resolve });
  const call = { url, timeoutMs: FAR_MS, trace: true };
  const took = expect.any(Number);
  expect((await outbound.deliver(call)).trace).toMatchObject({
    headers: { 'content-length': '4' },
    timings: { dnsMs: took, connectMs: took, tlsMs: took, firstByteMs: took },
  });
  // The pool may open a second one before it sees that the first is free.
  const reused = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: took };
  await eventually(async () => {
    expect((await outbound.deliver(call)).trace?.timings).toEqual(reused);
    return true;
  });
  expect(await outbound.deliver({ ...call, trace: false })).not.toHaveProperty('trace');
});

describe.each(['request', 'deliver'] as const)('%s', (client) => {
  test('the checked address is connected to, and it is resolved once', async () => {
    const { resolve, asked } = scripted(['127.0.0.1'], ['10.0.0.1']);
    const { raw, outbound, url } = await secured({ resolve });
    expect(await outbound[client]({ url, timeoutMs: FAR_MS })).toMatchObject({ ok: true, body: 'here' });
    expect(asked).toEqual([NAME]);
    expect(raw.connections()).toBe(1);
  });

  test('the next connection is checked again: a name that moved inside is refused', async () => {
    const { resolve, asked } = scripted(['127.0.0.1'], ['10.0.0.1']);
    const raw = await rawReceiver((socket) => socket.end(httpAnswer(200, '', { connection: 'close' })), {
      certificate: 'server.pem',
    });
    opened.push(raw);
    const outbound = outboundUnderTest({ ca: testCa, ports: [raw.port], resolve });
    opened.push(outbound);
    const url = `https://${NAME}:${raw.port}/hook`;
    expect(await outbound[client]({ url, timeoutMs: FAR_MS })).toMatchObject({ ok: true });
    await eventually(() => raw.open() === 0);
    const outcome = failed(await outbound[client]({ url, timeoutMs: FAR_MS }));
    expect(outcome.errorClass).toBe('blocked_address');
    expect(asked).toEqual([NAME, NAME]);
    expect(raw.connections()).toBe(1);
  });

  test.each([
    ['the last', ['127.0.0.1', '10.0.0.1']],
    ['the first', ['10.0.0.1', '127.0.0.1']],
    ['of the other family', ['127.0.0.1', '::1']],
    ['the last of many', [...Array.from({ length: 50 }, () => '127.0.0.1'), '169.254.169.254']],
    ['v4-mapped', ['::ffff:10.0.0.1']],
    ['NAT64', ['64:ff9b::a00:1']],
    ['6to4', ['2002:a00:1::1']],
    ['unique-local', ['fd00::1']],
    ['with a zone', ['fe80::1%eth0']],
    ['no address at all', ['not an address']],
  ])('one refused address refuses the name: %s', async (_which, addresses) => {
    const { raw, outbound, url } = await secured({ resolve: scripted(addresses).resolve });
    const outcome = failed(await outbound[client]({ url, timeoutMs: FAR_MS }));
    expect(outcome).toMatchObject({
      errorClass: 'blocked_address',
      message: 'The address is not one that requests may be sent to.',
    });
    expect(raw.connections()).toBe(0);
  });

  test('blocked addresses look the same to the customer; the log tells them apart', async () => {
    const inside = ['10.20.30.40', '169.254.169.254', '::1', 'fd12::9'];
    const told = new Set<string>();
    for (const address of inside) {
      const { outbound, url } = await secured({ resolve: scripted([address]).resolve });
      const outcome = failed(await outbound[client]({ url, timeoutMs: FAR_MS }));
      told.add(shown(outcome));
      expect(outcome.internal).toMatchObject({ host: NAME, address });
      expect(outbound.log.with('outbound.blocked')).toMatchObject([
        { host: NAME, address, range: expect.any(String) },
      ]);
    }
    expect(told.size).toBe(1);
    expect([...told][0]).not.toMatch(/10\.20|169\.254|::1|fd12|private|loopback|link/);
  });

  test('an open connection serves only its own host', async () => {
    const { resolve, asked } = scripted(['127.0.0.1'], ['10.0.0.1']);
    const { raw, outbound, url } = await secured({ resolve });
    expect(await outbound[client]({ url, timeoutMs: FAR_MS })).toMatchObject({ ok: true });
    expect(raw.open()).toBe(1);
    const other = url.replace(NAME, 'other.example.com'); // the same server and certificate
    expect(failed(await outbound[client]({ url: other, timeoutMs: FAR_MS })).errorClass).toBe(
      'blocked_address',
    );
    expect(asked).toEqual([NAME, 'other.example.com']);
  });

  test.each([
    ['https://127.0.0.1/x', 'The URL must not name a private or reserved address.'],
    ['https://[::ffff:7f00:1]/x', 'The URL must not name a private or reserved address.'],
    ['https://2130706433/x', 'The URL must not name a private or reserved address.'],
    ['http://hooks.example.com/x', 'The URL must start with https://.'],
    ['https://hooks.example.com:22/x', 'The URL must use port 443.'],
    ['https://localhost/x', 'The URL must name a public host.'],
    ['nonsense', 'The URL must be an absolute https URL.'],
  ])('a stored URL is checked again when it is used: %s', async (url, message) => {
    const { resolve, asked } = scripted(['127.0.0.1']);
    const outbound = outboundUnderTest({ allow: [], resolve });
    opened.push(outbound);
    expect(await outbound[client]({ url, timeoutMs: FAR_MS })).toMatchObject({
      ok: false,
      errorClass: 'blocked_address',
      message,
    });
    expect(asked).toEqual([]);
  });

  test('a host that the operator allowed may be anywhere', async () => {
    const raw = await rawReceiver((socket) => socket.write(httpAnswer(200, 'inside')));
    opened.push(raw);
    const outbound = outboundUnderTest({ allow: ['localhost'] }); // resolved by the machine itself
    opened.push(outbound);
    const outcome = await outbound[client]({ url: `http://localhost:${raw.port}/x`, timeoutMs: FAR_MS });
    expect(outcome).toMatchObject({ ok: true, body: 'inside' });
  });

  test('an address that does not answer is followed by the next of the host', async () => {
    const { resolve } = scripted(['127.0.0.2', '127.0.0.1']); // nothing listens on the first
    const { outbound, url } = await secured({ resolve, allow: ['127.0.0.0/8'] });
    expect(await outbound[client]({ url, timeoutMs: FAR_MS })).toMatchObject({ ok: true });
  });

  describe('unresolvable names are dns_error', () => {
    test.each<[string, Resolve]>([
      [
        'no such name',
        async () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
      ],
      ['no address', async () => []],
      ['no answer', () => new Promise(() => undefined)],
    ])('%s', async (_name, resolve) => {
      const { outbound, url } = await secured({ resolve, resolveTimeoutMs: 100 });
      const outcome = failed(await outbound[client]({ url, timeoutMs: FAR_MS }));
      expect(outcome).toMatchObject({
        errorClass: 'dns_error',
        message: 'The host name could not be resolved.',
      });
      expect(outcome.internal).toMatchObject({ host: NAME });
    });
  });

  test('a host that accepts the connection but speaks no TLS is given up', async () => {
    const silent = await rawReceiver(() => undefined);
    opened.push(silent);
    const outbound = outboundUnderTest({
      ports: [silent.port],
      resolve: scripted(['127.0.0.1']).resolve,
      connectTimeoutMs: 200,
    });
    opened.push(outbound);
    const outcome = failed(
      await outbound[client]({ url: `https://${NAME}:${silent.port}`, timeoutMs: FAR_MS }),
    );
    expect(outcome).toMatchObject({
      errorClass: 'timeout',
      message: 'The connection was not established in time.',
    });
    await eventually(() => silent.open() === 0);
  });

  test('close ends connections without a waiting caller', async () => {
    const silent = await rawReceiver(() => undefined);
    opened.push(silent);
    const outbound = outboundUnderTest({ ports: [silent.port], resolve: scripted(['127.0.0.1']).resolve });
    const outcome = await outbound[client]({ url: `https://${NAME}:${silent.port}`, timeoutMs: 200 });
    expect(failed(outcome).errorClass).toBe('timeout');
    await outbound.close();
    await eventually(() => silent.open() === 0, { timeoutMs: 2_000 });
  });

  describe('TLS', () => {
    const resolve = scripted(['127.0.0.1']).resolve;

    test('the certificate of a literal address is checked too', async () => {
      const { raw, outbound } = await secured({ resolve });
      expect(
        await outbound[client]({ url: `https://127.0.0.1:${raw.port}`, timeoutMs: FAR_MS }),
      ).toMatchObject({ ok: true });
    });

    test.each([
      ['an unknown authority', { ca: undefined }, undefined, NAME, 'cannot be verified'],
      ['an expired certificate', {}, { certificate: 'expired.pem' as const }, NAME, 'has expired'],
      ['another host', {}, undefined, 'wrong.example.com', 'issued for another host name'],
      [
        'no protocol in common',
        {},
        { certificate: 'server.pem' as const, protocols: ['h2'] },
        NAME,
        'could not be established',
      ],
    ])('%s', async (_name, options, served, host, message) => {
      const { raw, outbound } = await secured({
        resolve,
        ...options,
        ...(served ? { receiver: served } : {}),
      });
      const outcome = failed(
        await outbound[client]({ url: `https://${host}:${raw.port}`, timeoutMs: 2_000 }),
      );
      expect(outcome.errorClass).toBe('tls_error');
      expect(outcome.message).toContain(message);
      expect(raw.requests).toEqual([]);
      await eventually(() => raw.open() === 0);
    });

    test('a server that speaks none', async () => {
      const plain = await receiver();
      opened.push(plain);
      const outbound = outboundUnderTest({ ports: [plain.port], resolve });
      opened.push(outbound);
      const outcome = failed(
        await outbound[client]({ url: `https://${NAME}:${plain.port}`, timeoutMs: FAR_MS }),
      );
      expect(outcome).toMatchObject({
        errorClass: 'tls_error',
        message: 'The TLS connection could not be established.',
      });
      expect(plain.requests).toEqual([]);
    });
  });

  test('SNI and Host name the requested host, not the address', async () => {
    const { raw, outbound, url } = await secured({ resolve: scripted(['127.0.0.1']).resolve });
    await outbound[client]({ url, timeoutMs: FAR_MS });
    expect(raw.requests[0]).toMatch(new RegExp(`^host: ${NAME}:${raw.port}\r$`, 'im'));
    expect(raw.serverNames).toEqual([NAME]);
  });
});

describe('connect', () => {
  test('gives a checked HTTP/2 connection', async () => {
    const { server, port } = await http2Server();
    const outbound = outboundUnderTest({
      ca: testCa,
      ports: [port],
      resolve: scripted(['127.0.0.1']).resolve,
    });
    opened.push(outbound);
    const url = `https://${NAME}:${port}`;
    const connection = await outbound.connect(url, ['h2', 'http/1.1']);
    if (!connection.ok) throw new Error(JSON.stringify(connection.outcome));
    const session = http2.connect(url, { createConnection: () => connection.socket });
    const status = await new Promise((resolve, reject) => {
      session
        .request({ ':path': '/' })
        .once('response', (headers) => resolve(headers[':status']))
        .once('error', reject);
    });
    expect(status).toBe(201);
    await new Promise<void>((resolve) => session.close(resolve));
    await new Promise((resolve) => server.close(resolve));
  });

  test('or else the outcome with the reason', async () => {
    const outbound = outboundUnderTest({ resolve: scripted(['10.0.0.1']).resolve });
    opened.push(outbound);
    const refused = { ok: false, outcome: { ok: false, errorClass: 'blocked_address' } };
    expect(await outbound.connect(`https://${NAME}`, ['h2'])).toMatchObject(refused);
    expect(await outbound.connect('https://10.0.0.1', ['h2'])).toMatchObject(refused);
    expect(await outbound.connect('https://[::1]', ['h2'])).toMatchObject(refused);
  });

  async function http2Server() {
    const { readFileSync } = await import('node:fs');
    const read = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
    const server = http2.createSecureServer(
      { cert: read('server.pem'), key: read('server-key.pem') },
      (_, response) => {
        response.writeHead(201).end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, port: (server.address() as AddressInfo).port };
  }
});

test('a delivery that is cut off leaves no connection behind', async () => {
  const hanging: RawReceiver = await rawReceiver(() => undefined);
  opened.push(hanging);
  const outbound = outboundUnderTest();
  opened.push(outbound);
  const url = `http://127.0.0.1:${hanging.port}`;
  await Promise.all(Array.from({ length: 5 }, () => outbound.deliver({ url, timeoutMs: 3_000 })));
  await eventually(() => hanging.open() === 0);
  expect(hanging.connections()).toBe(5);
});

test('idle everyday connections are bounded too', async () => {
  const raw = await rawReceiver((socket) => socket.write(httpAnswer(200)));
  opened.push(raw);
  const hosts = Array.from({ length: 300 }, (_, index) => `receiver-${index}.example.com`);
  const outbound = outboundUnderTest({ allow: hosts, resolve: scripted(['127.0.0.1']).resolve });
  opened.push(outbound);
  for (const host of hosts) {
    const outcome = await outbound.request({ url: `http://${host}:${raw.port}`, timeoutMs: 1_000 });
    expect(outcome).toMatchObject({ ok: true });
  }
  expect(raw.connections()).toBe(300);
  await eventually(() => raw.open() <= 64, { timeoutMs: 1_000 });
});

test('origins are bounded: the least recently used ones lose their connections', async () => {
  const raw = await rawReceiver((socket) => socket.write(httpAnswer(200)));
  opened.push(raw);
  const hosts = Array.from({ length: 600 }, (_, index) => `receiver-${index}.example.com`);
  const outbound = outboundUnderTest({ allow: hosts, resolve: scripted(['127.0.0.1']).resolve });
  opened.push(outbound);
  for (const host of hosts) {
    const outcome = await outbound.deliver({ url: `http://${host}:${raw.port}`, timeoutMs: FAR_MS });
    expect(outcome.ok).toBe(true);
  }
  expect(raw.connections()).toBe(600);
  await eventually(() => raw.open() <= 512, { timeoutMs: 1_000 });
});
