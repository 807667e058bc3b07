// The Python SDK on the built services: every snippet of its README, and a network that loses,
// delays and cuts (docs/sdk.md#python).
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort } from '@parley/testing/servers';
import { buildPythonProgram } from '../src/sdk/readme-program.ts';
import { ROOT, startSdkUnderTest, type SdkUnderTest } from '../src/sdk/sdk-under-test.ts';

const PATIENCE_MS = 60_000;
const HOME = join(ROOT, 'libs/sdk-python');
const run = promisify(execFile);
let sdk: SdkUnderTest;
let port: number;

beforeAll(async () => {
  [sdk, port] = await Promise.all([startSdkUnderTest('sdk-python', process.env), freePort()]);
}, PATIENCE_MS);
afterAll(() => sdk?.stop());
beforeEach(() => {
  for (const proxy of [sdk.flows, sdk.voice, sdk.inbox]) proxy.requests.length = 0;
});

const FLAGS = ['-W', 'error', '-u', '-c'];
function environment(): Record<string, string> {
  const { 'flow-builder': flows, 'voice-api': voice, notifications } = sdk.stack.services;
  return {
    PATH: process.env['PATH'] ?? '',
    PYTHONPATH: join(HOME, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    FLOW_BUILDER_URL: sdk.flows.url,
    FLOW_BUILDER_KEY: flows.apiKey,
    VOICE_API_URL: `${sdk.voice.url}/v1`,
    VOICE_API_KEY: voice.apiKey,
    NOTIFICATIONS_URL: `${sdk.inbox.url}/`,
    NOTIFICATIONS_KEY: notifications.apiKey,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
  };
}

const { source, prints } = buildPythonProgram(readFileSync(join(HOME, 'README.md'), 'utf8'));
/** The client of the README's first snippet. */
const CLIENT = `import json\nfrom parley_sdk import *\n${source.slice(0, source.indexOf('flow = '))}\n`;
/** Runs a program with the client and returns its output, parsed. */
async function python<Printed = unknown>(program: string): Promise<Printed> {
  const { stdout, stderr } = await run('python3', [...FLAGS, CLIENT + program], {
    env: environment(),
    timeout: 30_000,
  });
  expect(stderr).toBe(''); // no warning about open resources
  return JSON.parse(stdout) as Printed;
}

test(
  'the snippets of the README run and print the output in their comments',
  async () => {
    const { stdout, stderr } = await run('python3', [...FLAGS, source], {
      env: environment(),
      timeout: 30_000,
    });
    expect(stderr).toBe('');
    expect(prints.length).toBeGreaterThan(10);
    expect(stdout.trimEnd().split('\n')).toEqual(prints);
  },
  PATIENCE_MS,
);

describe('repeats', () => {
  test(
    'repeat a lost answer without creating anything twice',
    async () => {
      sdk.voice.script('lost', 'lost');
      const [status, replayed, names] = await python<unknown[]>(`
made = parley.voice_api.with_response.create_bot(body={"name": "once"})
names = [bot["name"] for bot in parley.voice_api.list_bots(q="once")]
print(json.dumps([made.status, made.headers["idempotent-replayed"], names]))`);
      expect([status, replayed, names]).toEqual([201, 'true', ['once']]);
      const keys = sdk.voice.requests.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0]]);
    },
    PATIENCE_MS,
  );

  test(
    'wait for Retry-After when a service is unavailable, and do not happen for permanent errors',
    async () => {
      sdk.flows.script({ status: 503, retryAfter: 1 }, { status: 429 });
      const [seconds, refused] = await python<[number, unknown]>(`
import time
began = time.monotonic()
parley.flow_builder.get_my_api_key()
seconds = time.monotonic() - began
try:
    parley.flow_builder.get_flow("nowhere")
except NotFoundError as error:
    print(json.dumps([seconds, [error.code, bool(error.request_id)]]))`);
      expect(seconds).toBeGreaterThanOrEqual(1.5); // 1 s, and at least half of the second pause
      expect(refused).toEqual(['not_found', true]);
      expect(sdk.flows.requests).toHaveLength(4);
    },
    PATIENCE_MS,
  );

  test(
    'follow an attempt that timed out',
    async () => {
      sdk.flows.script('hang', 'hang');
      const [said, scopes] = await python<unknown[]>(`
try:
    parley.flow_builder.get_my_api_key(timeout=0.2, retries=0)
except NetworkTimeoutError as error:
    said = str(error)
print(json.dumps([said, parley.flow_builder.get_my_api_key(timeout=2.0, retries=1)["scopes"]]))`);
      expect(said).toBe('GET /v1/api-keys/me: no answer within 0.2 s');
      expect(scopes).toContain('admin');
    },
    PATIENCE_MS,
  );
});

test(
  'a loop gets the items of all pages, and requests no page that it does not reach',
  async () => {
    const found = await python<string[]>(`
for name in ("p1", "p2", "p3"):
    parley.voice_api.create_bot(body={"name": name, "tags": ["paged"]})
found = sorted(bot["name"] for bot in parley.voice_api.list_bots(tag="paged", limit=2))
for bot in parley.voice_api.list_bots(tag="paged", limit=2):
    break
print(json.dumps(found))`);
    expect(found).toEqual(['p1', 'p2', 'p3']);
    expect(sdk.voice.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
  },
  PATIENCE_MS,
);

test(
  'errors of the three services have one shape, and each names the invalid members',
  async () => {
    const said = await python(`
def refused(call, *args, **given):
    try:
        call(*args, **given)
    except ApiError as error:
        return [type(error).__name__, error.code, [field.path for field in error.fields]]
print(json.dumps([
    refused(parley.flow_builder.create_flow, body={"name": 7, "definition": {"nodes": [{"id": "a", "type": "end"}], "edges": []}}),
    refused(parley.voice_api.create_bot, body={"name": 7}),
    refused(parley.notifications.notify, body={"channels": ["in_app"], "message": 7}),
    refused(parley.notifications.get_notification, "ntf_none"),
]))`);
    const wrong = (path: string) => ['InvalidRequestError', 'invalid_request', [path]];
    expect(said).toEqual([
      wrong('/name'),
      wrong('/name'),
      wrong('/message'),
      ['NotFoundError', 'not_found', []],
    ]);
  },
  PATIENCE_MS,
);

test(
  'a stream continues after a cut and misses nothing; another thread ends it',
  async () => {
    const tell = (message: string) =>
      sdk.parley.notifications.notify({
        body: { channels: ['in_app'], message, target: { in_app: { user_id: 'reader' } } },
      });
    const program = `
stream = parley.notifications.stream_notifications(user_id="reader")
for event in stream:
    print(event.data["body"] if event.event == "created" else event.event)
    if event.event == "created" and event.data["body"] == "two":
        import threading
        threading.Timer(0.2, stream.close).start()`;
    const reader = spawn('python3', [...FLAGS, CLIENT + program], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => reader.once('close', resolve));
    const told = new Set<string>();
    for await (const line of createInterface(reader.stdout)) {
      if (line === 'unread_count' && told.size === 0) await tell('one'); // the stream is open
      if (told.has(line)) continue;
      told.add(line);
      if (line !== 'one') continue;
      sdk.inbox.cut();
      await tell('two');
    }
    expect(await ended).toBe(0);
    expect([...told].filter((line) => ['one', 'two'].includes(line))).toEqual(['one', 'two']);
    const opened = sdk.inbox.requests.filter(({ path }) => path.startsWith('/v1/notifications/stream'));
    expect(opened.map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      expect.stringMatching(/^\d+$/),
    ]);
  },
  PATIENCE_MS,
);
