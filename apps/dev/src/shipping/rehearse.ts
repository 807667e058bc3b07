// The life of the images, played through with production settings: migrate, first key, every role,
// real calls, dashboard, stop.
import { createECDH } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { SERVICE_FACTS, SERVICES, type ServiceName } from '../stack/index.ts';
import { pushService, receiver } from '@parley/testing';
import { filesOf, makeReadOnly, type BuiltImage } from './build-image.ts';
import { runImage, runToEnd, untilAnswers, type RunningCommand } from './run-image.ts';
import { openDocs, text, useImage, type RunningImage } from './use-images.ts';

export interface RehearsalServers {
  /** A database of the service's own, which may be absent: its migrations make it. */
  databaseUrlOf(service: ServiceName): string;
  readonly queueUrl: string;
  /** A folder for the mounted secret files. */
  readonly secretsFolder: string;
}

/** A process must end within this long after SIGTERM (libs/server/runtime). */
const STOP_WITHIN_MS = 25_000;

/** What has no business in an image. */
const STRAY =
  /(^|\/)(node_modules|test|src|generated)\/|\.(ts|map)$|made-from\.json|chunks\.txt|\.env|secrets\//;

type Environment = Readonly<Record<string, string>>;

interface Rehearsed {
  readonly image: BuiltImage;
  readonly env: Environment;
  /** Everything that was started and does not end by itself. */
  readonly running: RunningCommand[];
}

/**
 * Plays all images through side by side, as one Parley, and returns what was seen, one line a step.
 * @throws Error that says what did not happen
 */
export async function rehearse(images: readonly BuiltImage[], servers: RehearsalServers): Promise<string[]> {
  const files = new Map(images.map((image) => [image, filesOf(image.folder)]));
  const seen = images.map((image) => checkFiles(image, files.get(image)!));
  const [push, hooks] = await Promise.all([pushService(), receiver()]);
  const write = secretWriter(servers.secretsFolder);
  copyFileSync(push.caFile, join(servers.secretsFolder, 'ca.pem')); // readable by the user of the images
  const running: RunningCommand[] = [];
  const settingsOf = ({ service }: BuiltImage) =>
    service === 'console' ? consoleEnvironment(servers, write) : serviceEnvironment(service, servers, write);
  const all = images.map((image): Rehearsed => ({ image, env: settingsOf(image), running }));
  const services = all.filter(({ image }) => image.service !== 'console');
  try {
    const started = await settleAll(services.map((one) => startService(one, seen)));
    const parley = Object.fromEntries(started) as Record<ServiceName, RunningImage>;
    const used = started.map(async ([name]) => {
      await openDocs(parley[name].url);
      seen.push(`${name}: ${await useImage[name](parley, { receiver: hooks, push })}`);
    });
    await settleAll(used);
    await settleAll(services.map((one) => startOperators(one, write, seen)));
    for (const one of all) if (!services.includes(one)) seen.push(await useConsole(one, parley));
    if (push.problems.length > 0) throw new Error(push.problems.join('\n'));
  } finally {
    await stopAll(running);
    await Promise.all([push.close(), hooks.close()]);
  }
  for (const image of images) checkUnchanged(image, files.get(image)!);
  seen.push(await checkEnd(running));
  return seen;
}

/**
 * Migrations, twice and waited for; the first key; a process that answers and one that works off
 * queues.
 */
async function startService(one: Rehearsed, seen: string[]): Promise<[ServiceName, RunningImage]> {
  const { image, env, running } = one;
  const service = image.service as ServiceName;
  const waiting = runImage(image, ['cli/main.mjs', 'migrate', '--wait'], env);
  running.push(waiting);
  seen.push((await runToEnd(image, ['cli/main.mjs', 'migrate'], env)).trim().split('\n').at(-1)!);
  const again = await runToEnd(image, ['cli/main.mjs', 'migrate'], env);
  if (!again.includes('nothing to do')) throw new Error(`a second migrate did something: ${again}`);
  if ((await waiting.ended) !== 0) throw new Error(`waiting for it failed: ${waiting.output()}`);

  const create = ['cli/main.mjs', 'keys', 'create', '--org', 'acme', '--name', 'rehearsal'];
  const { key } = JSON.parse(await runToEnd(image, create, env)) as { key: string };
  if (!key.startsWith(SERVICE_FACTS[service].product)) throw new Error(`the first key of ${service}: ${key}`);
  const [http, worker] = await Promise.all([
    start(one, [], { ROLE: 'http' }, '/ready'),
    start(one, [], { ROLE: 'worker' }, '/ready'),
  ]);
  const authorization = `Bearer ${key}`;
  await text(`${http.url}/v1/api-keys/me`, { headers: { authorization } });
  for (const path of ['/health', '/metrics']) await text(http.url + path);
  await runToEnd(image, image.healthcheck.slice(1), { ...env, PORT: String(http.port) });
  const refused = await fetch(`${worker.url}/v1/api-keys/me`, { headers: { authorization } });
  if (refused.status !== 404) throw new Error(`a worker answers callers: ${refused.status}`);
  const metrics = await text(`${worker.url}/metrics`);
  if (!metrics.includes('queue_age_seconds{')) throw new Error('a worker says nothing of its queues');
  seen.push(`${service}: http and worker are ready, and the health check agrees`);
  return [service, { url: http.url, workerUrl: worker.url, key }];
}

/** A process that does both, and the dashboard, which is for operators only. */
async function startOperators(one: Rehearsed, write: SecretWriter, seen: string[]): Promise<void> {
  const password = 'rehearsal of an operator';
  const given = { OPERATOR_PASSWORD: write('operator-password', password) };
  const [, board] = await Promise.all([
    start(one, [], { ROLE: 'all' }, '/ready'),
    start(one, ['cli/main.mjs', 'dashboard'], given, '/health'),
  ]);
  const authorization = `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`;
  for (const path of ['/', '/api/queues']) await text(board.url + path, { headers: { authorization } });
  const { status } = await fetch(board.url);
  if (status !== 401) throw new Error(`the dashboard answers anybody with ${status}`);
  seen.push(`${one.image.service}: ROLE=all is ready, the dashboard shows its page to the operator only`);
}

/** Its page, its forwarder, and a tool over MCP, each with a real service behind. */
async function useConsole(
  one: Rehearsed,
  services: Readonly<Record<ServiceName, RunningImage>>,
): Promise<string> {
  const { image, env } = one;
  const addresses = Object.entries(services).map(([name, { url }]) => `${name}=${url}`);
  const { url, port } = await start(one, [], { SERVICE_URLS: addresses.join(',') }, '/ready');
  const [, script = '/no-script'] = /src="(\/assets\/[^"]+)"/.exec(await text(url)) ?? [];
  await text(url + script);
  const cookie = await signIn(url, services);
  for (const name of SERVICES) await openDocs(`${url}/api/${name}`, { headers: { cookie } });
  const headers = {
    authorization: `Bearer ${services['flow-builder'].key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_flows', arguments: {} } };
  const tool = await text(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) });
  if (!tool.includes('rehearsal')) throw new Error(`list_flows over MCP: ${tool}`);
  await runToEnd(image, image.healthcheck.slice(1), { ...env, PORT: String(port) });
  return 'console: its page, the references of the services, a tool over MCP, and the health check agrees';
}

async function signIn(url: string, services: Readonly<Record<ServiceName, RunningImage>>): Promise<string> {
  const keys = Object.fromEntries(Object.entries(services).map(([name, { key }]) => [name, key]));
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const body = JSON.stringify({ keys });
  const answer = await fetch(`${url}/session/keys`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`signing in is answered ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** @throws Error naming what has no business in the image. */
function checkFiles({ service, folder }: BuiltImage, files: ReadonlyMap<string, number>): string {
  const strays = [...files.keys()].filter(
    (path) => STRAY.test(path) || (path.startsWith('cli/prisma/') && !path.includes(`/${service}/`)),
  );
  if (strays.length > 0) throw new Error(`the image carries ${strays.join(', ')}`);
  const mib = [...files.values()].reduce((sum, size) => sum + size, 0) / 1024 / 1024;
  makeReadOnly(folder);
  return `${service}: ${files.size} files, ${mib.toFixed(1)} MiB, production only`;
}

/** @throws Error when it left a file behind. */
function checkUnchanged({ service, folder }: BuiltImage, files: ReadonlyMap<string, number>): void {
  const grown = [...filesOf(folder).keys()].filter((path) => !files.has(path));
  if (grown.length > 0) throw new Error(`${service} wrote ${grown.join(', ')}`);
}

/** @throws Error when something did not stop in order, or not in time. */
async function checkEnd(running: readonly RunningCommand[]): Promise<string> {
  for (const command of running) {
    const status = await command.ended;
    if (status !== 0) throw new Error(`after SIGTERM it ended with ${status}:\n${command.output()}`);
  }
  return `all ${running.length} processes stopped in order within ${STOP_WITHIN_MS / 1000} s`;
}

/** Writes a secret as a mounted file and returns the reference to it. */
type SecretWriter = (name: string, value: string) => string;

function secretWriter(folder: string): SecretWriter {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755); // the image's user reads it, under any umask
  return (name, value) => {
    const path = join(folder, name);
    rmSync(path, { force: true }); // several images share it
    writeFileSync(path, value);
    chmodSync(path, 0o444);
    return `file://${path}`;
  };
}

const KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

function serviceEnvironment(
  service: ServiceName,
  servers: RehearsalServers,
  write: SecretWriter,
): Environment {
  const databaseUrl = write(`database-url-${service}`, servers.databaseUrlOf(service));
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseUrl,
    QUEUE_URL: write('queue-url', servers.queueUrl),
    DATA_KEY: write('data-key', KEY),
    QUEUE_KEY: write('queue-key', KEY),
    MESSAGE_KEYS: write('message-keys', SERVICES.map((peer) => `${peer}=${KEY}`).join('\n')),
    QUEUE_PREFIX: `rehearsal-${process.pid}`,
    HOST: LOOPBACK,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    OUTBOUND_ALLOW_IN_PRODUCTION: 'true',
    ...(service === 'notifications' ? pushEnvironment(servers.secretsFolder, write) : {}),
  };
}

function pushEnvironment(secretsFolder: string, write: SecretWriter): Environment {
  const privateKey = createECDH('prime256v1');
  privateKey.generateKeys();
  return {
    NOTIFICATIONS_WEB_PUSH_ENABLED: 'true',
    VAPID_KEYS: write('vapid-keys', `k1:${privateKey.getPrivateKey('base64url')}`),
    VAPID_SUBJECT: 'mailto:ops@example.com',
    PUSH_THREADS: '1',
    NODE_EXTRA_CA_CERTS: join(secretsFolder, 'ca.pem'),
  };
}

function consoleEnvironment(servers: RehearsalServers, write: SecretWriter): Environment {
  return {
    HOST: LOOPBACK,
    PUBLIC_URL: 'https://console.example.com',
    CONSOLE_KEY: write('console-key', KEY),
    QUEUE_URL: write('queue-url', servers.queueUrl),
  };
}

async function start(
  { image, env, running }: Rehearsed,
  args: readonly string[],
  more: Environment,
  path: string,
): Promise<{ url: string; port: number }> {
  const port = await freePort();
  const command = runImage(image, args, { ...env, ...more, PORT: String(port) });
  running.push(command);
  const url = `http://${LOOPBACK}:${port}`;
  await untilAnswers(`${url}${path}`, command);
  return { url, port };
}

/** As Promise.all, but none is still starting processes when the first failure is thrown. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function stopAll(running: readonly RunningCommand[]): Promise<void> {
  for (const { child } of running) child.kill('SIGTERM');
  const late = setTimeout(() => running.forEach(({ child }) => child.kill('SIGKILL')), STOP_WITHIN_MS);
  await Promise.allSettled(running.map(({ ended }) => ended));
  clearTimeout(late);
}
