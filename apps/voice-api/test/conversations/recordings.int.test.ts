// Copies of recordings in a bucket (docs/voice-api.md#copies-of-recordings), with a real store that
// checks signatures.
import { readFileSync } from 'node:fs';
import { mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { createAddressPolicy, createOutbound, type Outbound } from '@parley/outbound';
import { loopbackCertificate } from '@parley/testing';
import { sweepRetention } from '../../src/conversations/changes/sweep-retention.ts';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { COPY_ATTEMPTS_MAX, createRecordingCopier } from '../../src/recordings/copy-recordings.ts';
import { call, event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf, LOOPBACK } from '../webhooks.ts';
import { startStore, type SignedStore } from './signed-store.ts';

jest.setTimeout(120_000);

const HOUR_MS = 3_600_000;
/** Keys that s3rver knows. */
const KEYS = { access_key_id: 'S3RVER', secret: 'S3RVER' };
const AUDIO = Buffer.alloc(300_000, 'parley');

let service: VoiceApi;
let store: SignedStore;
let folder: string;
let source: { readonly server: Server; readonly url: string };
let answer: RequestListener;

const certificate = {
  cert: readFileSync(loopbackCertificate.cert, 'utf8'),
  key: readFileSync(loopbackCertificate.key, 'utf8'),
};
let outbound: Outbound;

const listen = async (listener: RequestListener) => {
  const server = createServer(certificate, listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-recordings-'));
  await mkdir(join(folder, 'secrets', 'acme'), { recursive: true });
  await writeFile(join(folder, 'secrets', 'acme', 'bucket'), KEYS.secret);
  await writeFile(join(folder, 'secrets', 'acme', 'wrong'), 'not the key');
  await mkdir(join(folder, 'objects'));
  store = await startStore(join(folder, 'objects'), ['calls', 'later'], {
    accessKeyId: KEYS.access_key_id,
    secretAccessKey: KEYS.secret,
  });
  source = await listen((request, response) => answer(request, response));
  const FLOW_SECRETS = `file://${folder}/secrets/{organization}/{name}`;
  service = await startVoiceApi({ env: { ...LOOPBACK, FLOW_SECRETS } });
  const policy = createAddressPolicy({ allow: ['127.0.0.1'], ports: [443] });
  outbound = createOutbound({
    policy,
    log: service.deps.log,
    ca: readFileSync(loopbackCertificate.ca, 'utf8'),
  });
});
afterAll(async () => {
  await outbound.close();
  await service.stop();
  await store.close();
  source.server.closeAllConnections();
  await new Promise((resolve) => source.server.close(resolve));
  await rm(folder, { recursive: true });
});

const serveAudio: RequestListener = (_request, response) =>
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': AUDIO.length }).end(AUDIO);
afterEach(async () => {
  answer = serveAudio;
  await service.deps.sql(`UPDATE recording_copies SET next_at = NULL`);
});
answer = serveAudio;

const storage = (more: object = {}) => ({
  endpoint: store.url,
  region: 'us-east-1',
  bucket: 'calls',
  prefix: 'acme/',
  access_key_id: KEYS.access_key_id,
  secret_access_key: 'secret://bucket',
  ...more,
});
const setRules = (rules: object, bot = '') => service.api.put(`/v1${bot && `/bots/${bot}`}/retention`, rules);
const createBot = async () => dataOf<{ id: string }>(await service.api.post('/v1/bots', { name: 'Ada' })).id;

/** Works on what is due after `afterMs`. Returns the number of attempts. */
const work = (afterMs = 0) =>
  createRecordingCopier({ ...service.deps, outbound, clock: () => Date.now() + afterMs }).work();

async function converse(id: string, { url = source.url, botId = null as string | null } = {}) {
  const ready = event('transcript.ready', id, 61, { recording_url: `${url}/${id}.wav` });
  await send(service, [...call(id, botId ?? 'bot_1'), ready]);
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
}

interface View {
  readonly recording_url?: string;
  readonly recording_copy?: object;
}
interface Link {
  readonly url: string;
  readonly expires_at: string;
}
const read = async (id: string) => dataOf<View>(await service.api.get(`/v1/conversations/${id}`).expect(200));
const linkTo = async (id: string) =>
  dataOf<Link>(await service.api.get(`/v1/conversations/${id}/recording`).expect(200));
const objects = async () => (await readdir(join(folder, 'objects'), { recursive: true })).join(' ');

test('off by default; a recording is copied, and read through a signed link, also in ranges', async () => {
  await converse('before');
  expect(await read('before')).not.toHaveProperty('recording_copy');
  const missing = await service.api.get('/v1/conversations/before/recording').expect(404);
  expect(missing.body).toMatchObject({ error: { message: expect.stringContaining('recording_storage') } });

  await setRules({ recording_storage: storage() }).expect(200);
  const rules = dataOf(await service.api.get('/v1/retention').expect(200));
  expect(rules).toMatchObject({ recording_storage: storage() });
  await converse('copied');
  expect(await read('copied')).toMatchObject({ recording_copy: { status: 'waiting' } });
  await service.api.get('/v1/conversations/copied/recording').expect(404);
  expect(await work()).toBe(1);
  expect(await work()).toBe(0);
  const copy = { status: 'copied', bytes: AUDIO.length, content_type: 'audio/wav' };
  expect(await read('copied')).toMatchObject({ recording_copy: copy });

  const { url, expires_at } = await linkTo('copied');
  expect(url).toContain(`${store.url}/calls/acme/copied/rec_`);
  expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(900_000);
  const whole = await fetch(url);
  expect(whole.headers.get('content-type')).toBe('audio/wav');
  expect(Buffer.from(await whole.arrayBuffer()).equals(AUDIO)).toBe(true);
  const part = await fetch(url, { headers: { range: 'bytes=6-11' } });
  expect([part.status, await part.text()]).toEqual([206, 'parley']);
  // The store checks signatures, and what they cover.
  expect((await fetch(url.replace(/Signature=..../, 'Signature=0000'))).status).toBe(403);
  expect((await fetch(url.replace('copied', 'before'))).status).toBe(403);

  // The same report again plans nothing; another address replaces the copy.
  await send(service, [event('metrics.updated', 'copied', 70, {})]).catch(() => undefined);
  await service.api
    .patch('/v1/conversations/copied', { recording_url: `${source.url}/copied.wav` })
    .expect(200);
  expect(await work()).toBe(0);
  const changed = { recording_url: `${source.url}/other.wav` };
  expect(dataOf(await service.api.patch('/v1/conversations/copied', changed).expect(200))).toMatchObject({
    recording_copy: { status: 'waiting' },
  });
  expect(await work()).toBe(2);
  expect((await fetch(url)).status).toBe(404);
  expect((await fetch((await linkTo('copied')).url)).status).toBe(200);
  await service.api.patch('/v1/conversations/copied', { recording_url: null }).expect(200);
  await work();
  expect(await read('copied')).not.toHaveProperty('recording_copy');
  expect(await objects()).not.toContain('rec_');
});

test.each<[string, RequestListener, string]>([
  [
    '403',
    (_, response) => response.writeHead(403).end(),
    'The recording cannot be read. The answer was 403.',
  ],
  ['503', (_, response) => response.writeHead(503).end(), 'The answer was 503.'],
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end(),
    'The answer was 302; redirects are not followed.',
  ],
  [
    'a page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 }).end('hi'),
    'neither audio nor video',
  ],
  ['no length', (_, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end('x'), ''],
  [
    'too much',
    (_, response) => response.writeHead(200, { 'content-length': 2 ** 31 }).flushHeaders(),
    'larger than 1024 MiB',
  ],
  [
    'half of it',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': 1_000 });
      response.write('half', () => response.destroy());
    },
    'The recording cannot be read. The connection broke',
  ],
])(
  'a source that answers with %s: the reason shows, and it is tried again',
  async (name, listener, reason) => {
    await setRules({ recording_storage: storage() }).expect(200);
    const id = `source-${name.replaceAll(' ', '-')}`;
    answer = listener;
    await converse(id);
    expect(await work()).toBe(1);
    const { recording_copy: copy } = await read(id);
    if (name === 'no length') {
      expect(copy).toMatchObject({ status: 'waiting', error: expect.stringContaining('Content-Length') });
    } else expect(copy).toMatchObject({ status: 'waiting', error: expect.stringContaining(reason) });
    expect(await objects()).not.toContain(id);
    expect(await work()).toBe(0);
    answer = serveAudio;
    expect(await work(HOUR_MS)).toBe(1);
    expect(await read(id)).toMatchObject({ recording_copy: { status: 'copied' } });
  },
);

test.each([
  ['wrong key', { secret_access_key: 'secret://wrong' }, 'The bucket refuses it. The answer was 403.'],
  ['unknown bucket', { bucket: 'nobodys' }, 'The bucket refuses it. The answer was 404.'],
  [
    'unreadable secret',
    { secret_access_key: 'secret://absent' },
    'secret://absent of the bucket cannot be read',
  ],
  ['nobody there', { endpoint: 'http://127.0.0.1:9' }, 'The bucket refuses it. The connection was refused'],
])(
  'a bucket that refuses (%s): after the last attempt it has failed, and saving repeats it',
  async (name, more, reason) => {
    await setRules({ recording_storage: storage(more) }).expect(200);
    const id = `bucket-${name.replaceAll(' ', '-')}`;
    await converse(id);
    for (let attempt = 1; attempt <= COPY_ATTEMPTS_MAX; attempt += 1) {
      expect(await read(id)).toMatchObject({ recording_copy: { status: 'waiting' } });
      expect(await work((attempt - 1) * 2 * HOUR_MS)).toBe(1);
    }
    const failed = { status: 'failed', error: expect.stringContaining(reason) };
    expect(await read(id)).toMatchObject({ recording_copy: failed });
    expect(await work(1_000 * HOUR_MS)).toBe(0);
    const answered = await service.api.get(`/v1/conversations/${id}/recording`).expect(404);
    expect(answered.body).toMatchObject({ error: { message: expect.stringContaining(reason) } });
    if (name !== 'wrong key') return;
    await setRules({ recording_storage: storage() }).expect(200);
    await work();
    expect(await read(id)).toMatchObject({ recording_copy: { status: 'copied' } });
  },
);

test('addresses inside the network are refused, and so are plain secrets', async () => {
  for (const endpoint of [
    'https://169.254.169.254',
    'https://10.0.0.7',
    'http://s3.example.com',
    'https://s3.example.com/?a=b',
  ])
    await setRules({ recording_storage: storage({ endpoint }) }).expect(400);
  await setRules({ recording_storage: storage({ secret_access_key: 'S3RVER' }) }).expect(400);
  await setRules({ recording_storage: storage({ bucket: '../other' }) }).expect(400);
  await setRules({ recording_storage: storage({ prefix: '/up/../x y' }) }).expect(400);
  await setRules({ recording_storage: storage() }).expect(200);
  await converse('inside', { url: 'https://192.168.0.1' });
  await work();
  expect(await read('inside')).toMatchObject({
    recording_copy: { error: expect.stringContaining('must not name a private') },
  });
});

test('the rule of a bot wins: another bucket, or no copies. Old copies stay readable', async () => {
  const [bot, silent] = [await createBot(), await createBot()];
  await setRules({ recording_storage: storage() }).expect(200);
  await setRules({ recording_storage: storage({ bucket: 'later', prefix: '' }) }, bot).expect(200);
  await setRules({ recording_storage: null }, silent).expect(200);
  expect(dataOf(await service.api.get(`/v1/bots/${silent}/retention`))).toMatchObject({
    recording_storage: null,
  });
  await converse('of-bot', { botId: bot });
  await converse('of-silent', { botId: silent });
  await work();
  const { url } = await linkTo('of-bot');
  expect(url).toContain('/later/of-bot/');
  expect(await read('of-silent')).not.toHaveProperty('recording_copy');
  await setRules({}, bot).expect(200);
  expect((await fetch((await linkTo('of-bot')).url)).status).toBe(200);
  await converse('of-bot-now', { botId: bot });
  await work();
  expect((await linkTo('of-bot-now')).url).toContain('/calls/');
});

test('erasure, retention and redaction', async () => {
  const bot = await createBot();
  await setRules({ recording_storage: storage(), redact_transcripts: true }, bot).expect(200);
  for (const id of ['erased', 'aged']) await converse(id, { botId: bot });
  await work();
  const whole = service.as(await service.issueKey('acme', ['read', 'write', 'admin', 'pii']));
  const link = async (id: string) =>
    dataOf<Link>(await whole.get(`/v1/conversations/${id}/recording`).expect(200)).url;
  await service.api.get('/v1/conversations/erased/recording').expect(403);
  expect(await read('erased')).not.toHaveProperty('recording_copy');
  const [erased, aged] = [await link('erased'), await link('aged')];

  const deleted = await whole.delete('/v1/conversations/erased').expect(200);
  expect(dataOf(deleted)).toMatchObject({ erased: { recording_copies: 1 } });
  // A bucket that does not answer loses nothing: the removal is repeated until it succeeds.
  await setRules({ recording_storage: storage({ secret_access_key: 'secret://wrong' }) }, bot).expect(200);
  expect(await work()).toBe(1);
  expect((await fetch(erased)).status).toBe(200);
  await setRules({ recording_storage: storage(), recording: { days: 1, reason: 'Notice' } }, bot).expect(200);
  expect(await work(HOUR_MS)).toBe(1);
  expect((await fetch(erased)).status).toBe(404);

  await sweepRetention(service.deps);
  await work();
  expect((await fetch(aged)).status).toBe(404);
  const gone = await whole.get('/v1/conversations/aged/recording').expect(404);
  expect(gone.body).toMatchObject({ error: { message: expect.stringContaining('Notice') } });
  expect(
    await service.deps.sql(`SELECT 1 FROM recording_copies WHERE conversation_id IN ('erased', 'aged')`),
  ).toEqual([]);
});

test('the certificate of an erased caller counts copies; what is in flight leaves no object', async () => {
  await setRules({ recording_storage: storage() }).expect(200);
  let release: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': AUDIO.length });
      response.write(AUDIO.subarray(0, 10));
      release = () => response.end(AUDIO.subarray(10));
      resolve();
    };
  });
  await converse('in-flight');
  const copying = work();
  await begun;
  const id = encodeURIComponent('tel:+15550100');
  const erased = await service.api.delete(`/v1/callers/${id}`).expect(200);
  const certificate = dataOf<{ certificate: { erased: { recording_copies: number } } }>(erased).certificate;
  expect(certificate.erased.recording_copies).toBeGreaterThanOrEqual(1);
  release();
  await copying;
  await work();
  expect(await objects()).not.toContain('in-flight');
  expect(
    await service.deps.sql(`SELECT 1 FROM recording_copies WHERE conversation_id = 'in-flight'`),
  ).toEqual([]);
});
