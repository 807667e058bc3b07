// `npm run test:browser`: Chromium's EventSource reads a conversation stream
// (docs/voice-api.md#conversation-streams). Through a page's own server, which adds the credential,
// it resumes after a cut; with a ticket it continues from another origin.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { removeHome, startStack } from '@parley/dev/stack';
import { findChromium, eventually } from '@parley/testing';

const STREAM = '/v1/conversations/watched/stream';
/** Chromium waits some seconds before it reconnects. */
const RESUMES_WITHIN_MS = 30_000;

let offline = false;
const streams = new Set<ServerResponse>();
const resumedFrom: (string | undefined)[] = [];
const site = createServer((request, response) => {
  if (request.url === '/')
    return void response.setHeader('content-type', 'text/html').end('<title>site</title>');
  forward(request, response).catch(() => response.destroy());
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

const here = findChromium(); // before anything is started
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const home = join(root, '.parley', `stream-browser-${process.pid}`);
const stack = await startStack({
  root,
  home,
  released: true,
  env: { PATH: process.env['PATH'], QUEUE_URL: process.env['TEST_REDIS_URL'], CORS_ORIGINS: siteOrigin },
  services: ['voice-api'],
  throwaway: true,
});
const { origin: voice, apiKey } = stack.services['voice-api'];
const authorization = `Bearer ${apiKey}`;

async function forward({ method = 'GET', url = '', headers }: IncomingMessage, response: ServerResponse) {
  if (offline) return void response.destroy();
  const from = headers['last-event-id'] as string | undefined;
  if (url === STREAM) resumedFrom.push(from);
  const ending = new AbortController();
  response.on('close', () => ending.abort());
  const answer = await fetch(`${voice}${url}`, {
    method,
    headers: { authorization, ...(from === undefined ? {} : { 'last-event-id': from }) },
    signal: ending.signal,
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  streams.add(response);
  Readable.fromWeb(answer.body!)
    .on('error', () => response.destroy())
    .pipe(response);
}

let sent = 0;
async function say(text: string | null): Promise<void> {
  sent += 1;
  const event = {
    id: `evt-${sent}`,
    type: text === null ? 'conversation.started' : 'speech.final',
    conversation_id: 'watched',
    occurred_at: new Date().toISOString(),
    data: text === null ? { channel: 'web' } : { turn_index: sent, text },
  };
  const answer = await fetch(`${voice}/v1/conversations/events`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ events: [event] }),
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Code for the page, as text: tsx would add a helper that the page does not have. */
const listen = (name: string, url: string) => `{
  const source = new EventSource(${JSON.stringify(url)});
  window.${name} = { source, ids: [], texts: [], last: '' };
  for (const type of ['ready', 'reset', 'speech.final'])
    source.addEventListener(type, ({ data, lastEventId }) => {
      const { id, data: said } = JSON.parse(data);
      window.${name}.last = lastEventId;
      window.${name}.texts.push(type === 'speech.final' ? said.text : type);
      if (id !== undefined) window.${name}.ids.push(id);
    });
}`;

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const result = await work();
  console.log(`  ✓ ${what}`);
  return result;
}

const browser = await chromium.launch(here);
try {
  const page = await browser.newPage();
  const heard = (name: string) => page.evaluate<string[]>(`window.${name}.texts`);
  const hears = (name: string, text: string) =>
    eventually(async () => (await heard(name)).includes(text), { timeoutMs: RESUMES_WITHIN_MS });
  await say(null);

  await step("events arrive through the page's own server", async () => {
    await page.goto(siteOrigin);
    await page.evaluate(listen('own', STREAM));
    await hears('own', 'ready');
    await say('one');
    await hears('own', 'one');
  });

  await step('after a cut it resumes with Last-Event-ID and misses nothing', async () => {
    offline = true;
    for (const stream of streams) stream.destroy();
    await eventually(async () => (await page.evaluate('window.own.source.readyState')) === 0);
    await say('two');
    await say('three');
    offline = false;
    await hears('own', 'three');
    await say('four');
    await hears('own', 'four');
    const texts = (await heard('own')).filter((text) => text !== 'ready');
    const ids = await page.evaluate<string[]>('window.own.ids');
    assert.deepEqual([...new Set(texts)], ['one', 'two', 'three', 'four']);
    assert.equal(new Set(ids).size, 4); // a repeated event has the same id
    assert.match(resumedFrom.at(-1) ?? '', /^\d+$/);
  });

  await step('with a ticket it continues from the service itself', async () => {
    const last = await page.evaluate<string>('window.own.last');
    await page.evaluate('window.own.source.close()');
    await say('five');
    const ticket = await page.evaluate<string>(
      `fetch('${STREAM}-ticket', { method: 'POST' }).then((answer) => answer.json()).then(({ data }) => data.ticket)`,
    );
    await page.evaluate(listen('ticketed', `${voice}${STREAM}?ticket=${ticket}&last_event_id=${last}`));
    await hears('ticketed', 'five');
    await say('six');
    await hears('ticketed', 'six');
    assert.deepEqual(
      (await heard('ticketed')).filter((text) => ['one', 'two', 'reset'].includes(text)),
      [],
    );
  });
  console.log('1 passed, 0 failed');
} finally {
  await browser.close();
  site.closeAllConnections();
  site.close();
  await stack.stop();
  await removeHome(home);
}
