// runService in its own process: exit status, signals and both output streams.
import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@parley/testing';

const main = fileURLToPath(new URL('./fixture-main.ts', import.meta.url));
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts the fixture with exactly these variables. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended, sees: (event: string) => eventually(() => out.includes(`"${event}"`)) };
}

const enough = { DATABASE_URL: 'postgres://app:hunter2@db/x', NEEDS_BOTH: 'yes' };
const eventsOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);

test('invalid configuration: every problem on standard error, nothing started, exit 1', async () => {
  const { code, out, err } = await start({ PORT: '0', LOG_LEVEL: 'loud' }).ended;
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(err).toContain('fixture cannot start: the configuration is wrong');
  for (const name of [
    'PORT: ',
    'LOG_LEVEL: ',
    'DATABASE_URL is not set',
    'BEHAVIOUR is not set',
    'NEEDS_BOTH: is a rule',
  ]) {
    expect(err).toContain(`  - ${name}`);
  }
});

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s: ordered stop, exit 0, the log complete', async (signal) => {
    const { child, ended, sees } = start({ ...enough, BEHAVIOUR: 'stay' });
    await sees('service.ready');
    child.kill(signal);
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(eventsOf(out)).toEqual([
      'service.starting',
      'service.ready',
      'service.stopping',
      'stopped.http',
      'stopped.workers',
      'stopped.database',
      'service.stopped',
    ]);
    expect(out).toContain('"DATABASE_URL_configured":true');
    expect(out).not.toContain('hunter2');
  });

  test('a closed log reader stops nothing', async () => {
    const { child, ended, sees } = start({ ...enough, BEHAVIOUR: 'talk' });
    await sees('service.ready');
    child.stdout.destroy();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  test('a second signal ends immediately, with the log so far', async () => {
    const { child, ended, sees } = start({ ...enough, BEHAVIOUR: 'hang' });
    await sees('service.ready');
    child.kill('SIGTERM');
    await sees('stopped.http');
    child.kill('SIGTERM');
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(eventsOf(out)).not.toContain('stopped.database');
  });

  test('a failed step sets the exit status', async () => {
    const { child, ended, sees } = start({ ...enough, BEHAVIOUR: 'unclean' });
    await sees('service.ready');
    child.kill('SIGTERM');
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(eventsOf(out)).toEqual(
      expect.arrayContaining(['service.stop_failed', 'stopped.database', 'service.stopped']),
    );
  });
});

describe('bugs', () => {
  test.each([
    ['reject', 'process.unhandled_rejection', 'forgotten'],
    ['throw', 'process.uncaught_exception', 'thrown in the open'],
  ])('%s: logged, exit 1', async (behaviour, event, message) => {
    const { code, out } = await start({ ...enough, BEHAVIOUR: behaviour }).ended;
    expect(code).toBe(1);
    const last = JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, unknown>;
    expect(last).toMatchObject({
      level: 'fatal',
      event,
      err: { message, stack: expect.stringContaining('fixture-main') },
    });
  });

  test('a failed start: started parts are stopped, exit 1', async () => {
    const { code, out } = await start({ ...enough, BEHAVIOUR: 'fail' }).ended;
    expect(code).toBe(1);
    expect(eventsOf(out)).toEqual([
      'service.starting',
      'service.start_failed',
      'service.stopping',
      'stopped.http',
      'stopped.workers',
      'stopped.database',
      'service.stopped',
    ]);
  });
});
