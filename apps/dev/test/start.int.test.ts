// `npm start` as a person has it: the real services, from the command to Ctrl-C, in a folder and on
// ports of its own.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { freePort, processIdentity } from '@parley/testing/servers';
import { removeHome } from '../src/stack/index.ts';
import { eventually } from '@parley/testing';
import type { DevFile } from '../src/dev-file.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Clients and bundles may have to be made first, on a machine with two busy cores. */
const START_TIMEOUT_MS = 120_000;
let home: string;
let portBase: number;
const launchers: Launcher[] = [];

interface Launcher {
  readonly child: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Its exit status, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'parley-start-'));
  portBase = (await freePort(5)) + 1; // console, three services, receiver
});
afterEach(async () => {
  for (const { child, ended } of launchers.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
});
afterAll(() => removeHome(home));

function launch(): Launcher {
  const child = spawn(process.execPath, ['apps/dev/bootstrap.mjs', 'start'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PARLEY_HOME: home,
      PORT_BASE: String(portBase),
      QUEUE_URL: process.env['TEST_REDIS_URL'],
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  const launcher = { child, output: () => output, ended };
  launchers.push(launcher);
  return launcher;
}

const devFile = (): string => join(home, 'dev.json');

async function up(launcher: Launcher): Promise<DevFile> {
  const ended = launcher.ended.then((status) => {
    throw new Error(`it ended (${status}): ${launcher.output()}`);
  });
  const ready = eventually(
    () => existsSync(devFile()) && launcher.output().includes('Ctrl-C stops everything'),
    { timeoutMs: START_TIMEOUT_MS },
  );
  await Promise.race([ready, ended]);
  return JSON.parse(readFileSync(devFile(), 'utf8')) as DevFile;
}

/**
 * What a shell makes of the curl lines that were printed, sent with fetch: curl itself need not be
 * there.
 */
async function paste(output: string): Promise<{ status: number; body: Record<string, unknown> }[]> {
  const lines = output.split('\n').filter((line) => line.startsWith('  curl '));
  const answers = [];
  for (const line of lines) {
    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    const headers = words
      .filter((_word, index) => words[index - 1] === '-H')
      .map((header) => header.split(': ') as [string, string]);
    const response = await fetch(words[1] ?? '', { method: 'POST', headers, body: words.at(-1) ?? '' });
    answers.push({ status: response.status, body: (await response.json()) as Record<string, unknown> });
  }
  return answers;
}

/** The folder of the checkout has no `.parley/dev.json` of this stack. */
const identityVariables = ({ identity }: DevFile) => ({
  PATH: process.env['PATH'],
  IDENTITY_SHARED_SECRET: identity!.secret,
  IDENTITY_ISSUER: identity!.issuer,
  IDENTITY_AUDIENCE: identity!.audience,
});

test(
  'from the first start to Ctrl-C, and again with the same keys',
  async () => {
    const launcher = launch();
    const dev = await up(launcher);
    expect(Object.keys(dev)).toEqual([
      'organization_id',
      'services',
      'console',
      'identity',
      'queue_url',
      'postgres_url',
      'pids',
    ]);
    expect(dev.organization_id).toBe('demo');
    expect(dev.services).toEqual({
      'flow-builder': {
        base_url: `http://127.0.0.1:${portBase}`,
        api_key: expect.stringMatching(/^fb_test_/),
      },
      'voice-api': {
        base_url: `http://127.0.0.1:${portBase + 1}/v1`,
        api_key: expect.stringMatching(/^va_test_/),
      },
      notifications: {
        base_url: `http://127.0.0.1:${portBase + 2}`,
        api_key: expect.stringMatching(/^nt_test_/),
      },
    });
    expect(statSync(devFile()).mode & 0o777).toBe(0o600);
    expect(dev.pids['launcher']).toBe(launcher.child.pid);
    for (const { base_url: baseUrl, api_key: apiKey } of Object.values(dev.services)) {
      expect(launcher.output()).toContain(baseUrl);
      expect(launcher.output()).toContain(apiKey);
      const me = await fetch(new URL('/v1/api-keys/me', baseUrl), {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      expect(me.status).toBe(200);
    }

    // The printed token is one of the demo user, and so is one that the CLI mints.
    const inbox = new URL('/v1/notifications', dev.services.notifications.base_url);
    const minted = execFileSync(
      process.execPath,
      ['--import', 'tsx', 'apps/cli/src/main.ts', 'token', 'mint', '--user', 'ada'],
      { cwd: root, encoding: 'utf8', env: identityVariables(dev) },
    );
    for (const token of [/^ {2}(eyJ\S+)$/m.exec(launcher.output())?.[1], minted.trim()]) {
      const headers = { authorization: `Bearer ${token}`, origin: 'http://localhost:5173' };
      const seen = await fetch(inbox, { headers });
      expect(seen.status).toBe(200);
      expect(seen.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    }

    // The console comes first, and its link signs in.
    const consoleUrl = `http://127.0.0.1:${portBase - 1}`;
    expect(dev.console.base_url).toBe(consoleUrl);
    expect(/https?:\S+/.exec(launcher.output())?.[0]).toMatch(
      new RegExp(`^${consoleUrl}/sign-in#[\\w-]{32}$`),
    );
    const signedIn = await fetch(`${consoleUrl}/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: new URL(dev.console.sign_in_url).hash.slice(1) }),
    });
    expect(signedIn.status).toBe(204);
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const seen = await fetch(`${consoleUrl}/api/flow-builder/v1/flows`, { headers: { cookie } });
    expect(seen.status).toBe(200);
    await eventually(async () => {
      const path = '/api/voice-api/v1/conversations/demo-conversation/transcript';
      const answer = await fetch(consoleUrl + path, { headers: { cookie } });
      return (await answer.text()).includes('Order 1042 left our shop this morning.');
    });

    // Pasted twice: the second time the flow is there already.
    expect((await paste(launcher.output())).map(({ status }) => status)).toEqual([201, 200, 200]);
    const [, , turn] = await paste(launcher.output());
    expect(turn).toMatchObject({
      status: 200,
      body: { status: 'completed', outputs: [{ text: 'Hello Ada, your first flow works.' }] },
    });

    // That turn was a conversation of the demo bot: its webhook events arrive, and are printed.
    await eventually(() => /webhook: conversation\.ended s1 .*signature right/.test(launcher.output()), {
      timeoutMs: 20_000,
    });

    // The demo flow is published and talks.
    const builder = dev.services['flow-builder'];
    const demo = await fetch(`${builder.base_url}/product/v1/flows/order-status/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${builder.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        session_id: 's',
        current_node: 'ask_order',
        user_input: '1042',
        variables: { name: 'Ada' },
      }),
    });
    expect(await demo.json()).toMatchObject({ status: 'completed', variables: { order_number: 1042 } });

    const second = launch();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Parley is already running here (process ${launcher.child.pid})`);

    launcher.child.kill('SIGINT');
    expect(await launcher.ended).toBe(0);
    expect(existsSync(devFile())).toBe(false);
    expect(
      Object.values(dev.pids)
        .map(processIdentity)
        .filter((identity) => identity !== null),
    ).toEqual([]);

    const again = launch();
    expect((await up(again)).services).toEqual(dev.services);
  },
  2 * START_TIMEOUT_MS,
);

test(
  'after kill -9 of the launcher: ends the orphans; when a service dies: says so, stops all, exit 1',
  async () => {
    const killed = launch();
    const before = await up(killed);
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    expect(existsSync(devFile())).toBe(true);

    rmSync(devFile());
    const launcher = launch();
    const dev = await up(launcher);
    expect(launcher.output()).toMatch(/ended what an earlier, killed start had left running: .*flow-builder/);
    expect(dev.services).toEqual(before.services);

    process.kill(dev.pids['voice-api'] ?? 0, 'SIGKILL');
    expect(await launcher.ended).toBe(1);
    expect(launcher.output()).toMatch(
      /voice-api was ended by SIGKILL\. The end of .*voice-api\.log:[\s\S]*service\.ready/,
    );
    expect(
      Object.values(dev.pids)
        .map(processIdentity)
        .filter((identity) => identity !== null),
    ).toEqual([]);
    expect(existsSync(devFile())).toBe(false);
  },
  2 * START_TIMEOUT_MS,
);
