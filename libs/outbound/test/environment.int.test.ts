// What the environment must not change. In separate processes: jest gives its tests a copy of the
// environment, and Node reads some of these variables at start.
import { afterEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { httpAnswer, rawReceiver, type RawReceiver } from './raw-receiver.ts';

const main = fileURLToPath(new URL('./fixture-call.ts', import.meta.url));
const opened: RawReceiver[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function answering(body: string, options?: Parameters<typeof rawReceiver>[1]): Promise<RawReceiver> {
  const raw = await rawReceiver((socket) => socket.write(httpAnswer(200, body)), options);
  opened.push(raw);
  return raw;
}

async function called(client: string, url: string, env: Record<string, string>): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', main, client, url, '127.0.0.1'],
    { env },
  );
  return JSON.parse(stdout);
}

describe.each(['request', 'deliver'])('%s', (client) => {
  test('proxies are ignored', async () => {
    const proxy = await answering('through the proxy');
    const target = await answering('directly');
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
    const env = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
    const outcome = await called(client, `http://127.0.0.1:${target.port}`, {
      ...env,
      NODE_USE_ENV_PROXY: '1',
    });
    expect(outcome).toMatchObject({ ok: true, body: 'directly' });
    expect(proxy.connections()).toBe(0);
  });

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 does not make a certificate trusted', async () => {
    const target = await answering('secret', { certificate: 'server.pem' });
    const outcome = await called(client, `https://hooks.example.com:${target.port}`, {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    expect(outcome).toMatchObject({ ok: false, errorClass: 'tls_error' });
    expect(target.requests).toEqual([]);
  });
});
