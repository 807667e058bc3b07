// One image's life, played through: migrate, first key, serve, work, look at the queues, stop.
import { writeFileSync, mkdirSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK, freePort, SERVICE_FACTS, SERVICES, type ServiceName } from '@parley/local-stack';
import { filesOf, makeReadOnly, type BuiltImage } from './build-image.ts';
import { runImage, runToEnd, untilAnswers, type RunningCommand } from './run-image.ts';

export interface RehearsalServers {
  /** The image's own database, which may be absent: its migrations make it. */
  readonly databaseUrl: string;
  readonly queueUrl: string;
  /** A folder for the mounted secret files. */
  readonly secretsFolder: string;
}

/** A process must end within this long after SIGTERM (libs/runtime: 25 s). */
const STOP_WITHIN_MS = 26_000;

/** What has no business in an image. */
const STRAY = /(^|\/)(node_modules|test|src|generated)\/|\.(ts|map)$|made-from\.json|\.env|secrets\//;

/**
 * Plays the image through and returns what was seen, one line a step.
 * @throws Error that says what did not happen.
 */
export async function rehearse(image: BuiltImage, servers: RehearsalServers): Promise<string[]> {
  const files = filesOf(image.folder);
  const seen = [checkFiles(image, files)];

  const env = secretEnvironment(servers);
  const running: RunningCommand[] = [];
  try {
    const waiting = runImage(image, ['cli/main.mjs', 'migrate', '--wait'], env);
    running.push(waiting);
    seen.push((await runToEnd(image, ['cli/main.mjs', 'migrate'], env)).trim().split('\n').at(-1)!);
    const again = await runToEnd(image, ['cli/main.mjs', 'migrate'], env);
    if (!again.includes('nothing to do')) throw new Error(`a second migrate did something: ${again}`);

    if ((await waiting.ended) !== 0) throw new Error(`waiting for it failed: ${waiting.output()}`);

    const create = ['cli/main.mjs', 'keys', 'create', '--org', 'acme', '--name', 'rehearsal'];
    const { key } = JSON.parse(await runToEnd(image, create, env)) as { key: string };

    const http = await start(image, [], { ...env, ROLE: 'http' }, '/ready', running);
    const me = await fetch(`${http.url}/v1/api-keys/me`, { headers: { authorization: `Bearer ${key}` } });
    const prefix = SERVICE_FACTS[image.service as ServiceName].product;
    if (me.status !== 200 || !key.startsWith(prefix))
      throw new Error(`the first key is answered ${me.status}`);
    for (const path of ['/health', '/metrics', '/openapi.json', '/docs']) {
      const answer = await fetch(`${http.url}${path}`);
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
    }
    await runToEnd(image, image.healthcheck.slice(1), { ...env, PORT: String(http.port) });
    seen.push('ROLE=http serves, and the health check agrees');

    const worker = await start(image, [], { ...env, ROLE: 'worker' }, '/ready', running);
    const refused = await fetch(`${worker.url}/v1/api-keys/me`);
    if (refused.status !== 404) throw new Error(`a worker answers callers: ${refused.status}`);
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    if (!metrics.includes('queue_age_seconds{'))
      throw new Error('a worker says nothing of the age of its queues');
    seen.push('ROLE=worker works, and serves operators only');

    const password = 'rehearsal of an operator';
    writeFileSync(join(servers.secretsFolder, 'operator-password'), password, { mode: 0o444 });
    const operator = { OPERATOR_PASSWORD: `file://${servers.secretsFolder}/operator-password` };
    const board = await start(
      image,
      ['cli/main.mjs', 'dashboard'],
      { ...env, ...operator },
      '/health',
      running,
    );
    const authorization = `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`;
    for (const [path, headers, status] of [
      ['/', {}, 401],
      ['/', { authorization }, 200],
      ['/api/queues', { authorization }, 200],
    ] as const) {
      const answer = await fetch(`${board.url}${path}`, { headers });
      if (answer.status !== status) throw new Error(`the dashboard answers ${path} with ${answer.status}`);
    }
    seen.push('the dashboard shows its page to the operator only');
  } finally {
    await stopAll(running);
  }
  seen.push(await checkEnd(image, files, running));
  return seen;
}

/** The console's: no database and no queue, so it serves its page, agrees that it is healthy, and stops. */
export async function rehearseConsole(image: BuiltImage, secretsFolder: string): Promise<string[]> {
  const files = filesOf(image.folder);
  const seen = [checkFiles(image, files)];
  mkdirSync(secretsFolder, { recursive: true });
  chmodSync(secretsFolder, 0o755);
  const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  writeFileSync(join(secretsFolder, 'console-key'), key, { mode: 0o444 });
  const env = {
    HOST: LOOPBACK,
    CONSOLE_URL: 'https://console.example.com',
    CONSOLE_KEY: `file://${secretsFolder}/console-key`,
    FLOW_BUILDER_URL: `http://${LOOPBACK}:1`,
  };
  const running: RunningCommand[] = [];
  try {
    const { url, port } = await start(image, [], env, '/ready', running);
    const page = await (await fetch(url)).text();
    const [, script = 'no script'] = /src="(\/assets\/[^"]+)"/.exec(page) ?? [];
    const { status } = await fetch(url + script);
    if (status !== 200) throw new Error(`the page names ${script}, which answers ${status}`);
    await runToEnd(image, image.healthcheck.slice(1), { ...env, PORT: String(port) });
    seen.push('it serves its page, and the health check agrees');
  } finally {
    await stopAll(running);
  }
  seen.push(await checkEnd(image, files, running));
  return seen;
}

/** @throws Error naming what has no business in the image. */
function checkFiles({ service, folder }: BuiltImage, files: ReadonlyMap<string, number>): string {
  const strays = [...files.keys()].filter(
    (path) => STRAY.test(path) || (path.startsWith('cli/prisma/') && !path.includes(`/${service}/`)),
  );
  if (strays.length > 0) throw new Error(`the image carries ${strays.join(', ')}`);
  const mib = [...files.values()].reduce((sum, size) => sum + size, 0) / 1024 / 1024;
  makeReadOnly(folder);
  return `${files.size} files, ${mib.toFixed(1)} MiB, production only`;
}

/** @throws Error when something did not stop in order, or left a file behind. */
async function checkEnd(
  { folder }: BuiltImage,
  files: ReadonlyMap<string, number>,
  running: readonly RunningCommand[],
): Promise<string> {
  for (const command of running) {
    const status = await command.ended;
    if (status !== 0) throw new Error(`after SIGTERM it ended with ${status}:\n${command.output()}`);
  }
  const grown = [...filesOf(folder).keys()].filter((path) => !files.has(path));
  if (grown.length > 0) throw new Error(`it wrote ${grown.join(', ')}`);
  return 'everything stopped in order';
}

/** The environment of k8s/base/service/settings.yaml, with the secrets as files. */
function secretEnvironment({
  databaseUrl,
  queueUrl,
  secretsFolder,
}: RehearsalServers): Record<string, string> {
  mkdirSync(secretsFolder, { recursive: true });
  chmodSync(secretsFolder, 0o755);
  const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  const values = {
    'database-url': databaseUrl,
    'queue-url': queueUrl,
    'data-key': key,
    'queue-key': key,
    'message-keys': SERVICES.map((peer) => `${peer}=${key}`).join('\n'),
  };
  for (const [name, value] of Object.entries(values)) {
    writeFileSync(join(secretsFolder, name), value, { mode: 0o444 });
  }
  const reference = (name: keyof typeof values) => `file://${secretsFolder}/${name}`;
  return {
    DATABASE_URL: reference('database-url'),
    DATABASE_DIRECT_URL: reference('database-url'),
    QUEUE_URL: reference('queue-url'),
    DATA_KEY: reference('data-key'),
    QUEUE_KEY: reference('queue-key'),
    MESSAGE_KEYS: reference('message-keys'),
    QUEUE_PREFIX: `rehearsal-${process.pid}`,
    HOST: LOOPBACK,
  };
}

async function start(
  image: BuiltImage,
  args: readonly string[],
  env: Record<string, string>,
  path: string,
  running: RunningCommand[],
): Promise<{ url: string; port: number }> {
  const port = await freePort();
  const command = runImage(image, args, { ...env, PORT: String(port) });
  running.push(command);
  const url = `http://${LOOPBACK}:${port}`;
  await untilAnswers(`${url}${path}`, command);
  return { url, port };
}

async function stopAll(running: readonly RunningCommand[]): Promise<void> {
  for (const { child } of running) child.kill('SIGTERM');
  const late = setTimeout(() => running.forEach(({ child }) => child.kill('SIGKILL')), STOP_WITHIN_MS);
  await Promise.allSettled(running.map(({ ended }) => ended));
  clearTimeout(late);
}
