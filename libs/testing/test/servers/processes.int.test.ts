// What keeps two stacks apart and cleans up after a killed one: identity, ledger, lock, ports.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../../src/index.ts';
import { FolderLocked, lockFolder, lockHolder, withFolderLock } from '../../src/servers/folder-lock.ts';
import { LOOPBACK, freePort, refuseTakenPorts } from '../../src/servers/ports.ts';
import { commandLine, processIdentity } from '../../src/servers/processes/process-identity.ts';
import { openLedger } from '../../src/servers/processes/process-ledger.ts';
import { describeExit, startProcess } from '../../src/servers/processes/start-process.ts';
import type { RunningProcess } from '../../src/servers/processes/start-process.ts';

// Node starts several times in one test, perhaps on two busy cores.
jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const FOR_EVER = 'setInterval(() => undefined, 1000)';
let home: string;
const started: RunningProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-processes-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((running) => running.stop()));
  rmSync(home, { recursive: true });
});

function run(code: string, stopTimeoutMs = 5_000): RunningProcess {
  const running = startProcess({
    name: 'probe',
    command: process.execPath,
    args: ['-e', code],
    env: {},
    cwd: home,
    logFile: join(home, 'probe.log'),
    ledger: openLedger(join(home, 'processes.json')),
    stopTimeoutMs,
  });
  started.push(running);
  return running;
}

const ledger = (): ReturnType<typeof openLedger> => openLedger(join(home, 'processes.json'));

describe('processIdentity', () => {
  test('is the same for a process as long as it lives, and null afterwards', async () => {
    const running = run(FOR_EVER);
    const identity = processIdentity(running.pid);
    expect(identity).not.toBeNull();
    expect(identity).not.toBe(processIdentity(process.pid));
    expect(processIdentity(running.pid)).toBe(identity);
    expect(commandLine(running.pid)).toContain('setInterval');
    await running.stop();
    expect(processIdentity(running.pid)).toBeNull();
    expect(commandLine(running.pid) ?? '').toBe('');
  });
});

describe('startProcess', () => {
  test('stops in order, and tells how the process ended', async () => {
    const running = run(`process.on('SIGTERM', () => process.exit(7)); console.log('up'); ${FOR_EVER}`);
    await eventually(() => running.tail().includes('up'));
    expect(ledger().living()).toEqual({ probe: running.pid });
    expect(describeExit(await running.stop())).toBe('ended with status 7');
    expect(ledger().living()).toEqual({});
  });

  test('kills what does not stop, and sends the asking signal only once', async () => {
    const running = run(
      `process.on('SIGTERM', () => console.log('no')); console.log('up'); ${FOR_EVER}`,
      300,
    );
    await eventually(() => running.tail().includes('up'));
    const exits = await Promise.all([running.stop(), running.stop()]);
    expect(exits.map(describeExit)).toEqual(['was ended by SIGKILL', 'was ended by SIGKILL']);
    expect(readFileSync(running.logFile, 'utf8').match(/no/g)).toHaveLength(1);
  });

  test('shows only its own lines of a log that others wrote before', async () => {
    writeFileSync(join(home, 'probe.log'), 'an earlier run\n');
    const running = run(`console.error('disk on fire'); process.exit(3)`);
    await running.exited;
    expect(running.tail()).toMatch(/probe\.log:\n {4}disk on fire$/);
  });

  test('says why a program could not be started', async () => {
    const running = startProcess({
      name: 'absent',
      command: join(home, 'absent'),
      args: [],
      env: {},
      cwd: home,
      logFile: join(home, 'absent.log'),
      ledger: ledger(),
      stopTimeoutMs: 100,
    });
    expect(describeExit(await running.exited)).toMatch(/could not be started: .*ENOENT/);
  });
});

describe('the ledger', () => {
  test('ends what a killed launcher left, with everything below it', async () => {
    const code = `
      import { openLedger } from './libs/testing/src/servers/processes/process-ledger.ts';
      import { startProcess } from './libs/testing/src/servers/processes/start-process.ts';
      const home = ${JSON.stringify(home)};
      const ledger = openLedger(home + '/processes.json');
      for (const name of ['first', 'second']) startProcess({ name, command: process.execPath, args: ['-e', ${JSON.stringify(FOR_EVER)}],
        env: {}, cwd: home, logFile: home + '/x.log', ledger, stopTimeoutMs: 100 });
      process.kill(process.pid, 'SIGKILL');`;
    const launcher = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      cwd: root,
      stdio: 'inherit',
    });
    await new Promise((resolve) => launcher.once('exit', resolve));
    const left = ledger().living();
    expect(Object.keys(left)).toEqual(['first', 'second']);
    expect(await ledger().endLeftovers()).toEqual(['second', 'first']);
    expect(Object.values(left).map(processIdentity)).toEqual([null, null]);
    expect(await ledger().endLeftovers()).toEqual([]);
  });

  test('never touches a process that only has the number of one of ours', async () => {
    const stranger = run(FOR_EVER);
    const entry = {
      name: 'ours',
      pid: stranger.pid,
      identity: 'another boot/12345',
      stopSignal: 'SIGTERM',
      killSignal: 'SIGKILL',
    };
    writeFileSync(join(home, 'processes.json'), JSON.stringify([entry]));
    expect(ledger().living()).toEqual({});
    expect(await ledger().endLeftovers()).toEqual([]);
    ledger().killNow();
    expect(stranger.exit()).toBeNull();
    expect(processIdentity(stranger.pid)).not.toBeNull();
  });

  test('kills one that does not listen', async () => {
    const deaf = run(`process.on('SIGTERM', () => undefined); console.log('up'); ${FOR_EVER}`);
    await eventually(() => deaf.tail().includes('up'));
    expect(await ledger().endLeftovers(200)).toEqual(['probe']);
    expect(describeExit(await deaf.exited)).toBe('was ended by SIGKILL');
  });
});

describe('lockFolder', () => {
  const path = (): string => join(home, 'stack.lock');

  test('lets one in, names it to the others, and is given back', () => {
    const unlock = lockFolder(path());
    expect(() => lockFolder(path())).toThrow(new FolderLocked(path(), process.pid));
    expect(lockHolder(path())).toBe(process.pid);
    unlock();
    expect(lockHolder(path())).toBeNull();
    lockFolder(path())();
  });

  test('takes over from a dead process, and one only of many that try at once', async () => {
    writeFileSync(path(), JSON.stringify({ pid: process.pid, identity: 'another boot/1' }));
    const code = `
      import { lockFolder } from './libs/testing/src/servers/folder-lock.ts';
      try { lockFolder(${JSON.stringify(path())}); console.log('in'); setInterval(() => undefined, 1000); }
      catch (error) { console.log(error.name, error.pid); }`;
    const racers = Array.from({ length: 5 }, () =>
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const said = await Promise.all(
      racers.map(
        (racer) =>
          new Promise<string>((resolve) =>
            racer.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
          ),
      ),
    );
    const winner = racers[said.indexOf('in')];
    expect(said.filter((text) => text === 'in')).toHaveLength(1);
    expect(said.filter((text) => text === `FolderLocked ${winner?.pid}`)).toHaveLength(4);
    const ended = racers.map(
      (racer) =>
        new Promise((resolve) => (racer.exitCode === null ? racer.once('exit', resolve) : resolve(0))),
    );
    winner?.kill('SIGKILL');
    await Promise.all(ended);
    lockFolder(path())();
  });

  test('withFolderLock waits for its turn', async () => {
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      order.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} out`);
    };
    await Promise.all([withFolderLock(path(), 5_000, work('a')), withFolderLock(path(), 5_000, work('b'))]);
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out']);
    const unlock = lockFolder(path());
    await expect(withFolderLock(path(), 50, work('c'))).rejects.toThrow(FolderLocked);
    unlock();
  });
});

describe('ports', () => {
  test('every taken port is named, with what it was for', async () => {
    const server = createServer();
    const taken = await freePort();
    await new Promise<void>((resolve) => server.listen(taken, LOOPBACK, resolve));
    const free = await freePort();
    await expect(
      refuseTakenPorts(
        new Map([
          ['flow-builder', free],
          ['voice-api', taken],
        ]),
      ),
    ).rejects.toThrow(`Port ${taken} (for voice-api) is taken by another program.`);
    await new Promise((resolve) => server.close(resolve));
    await refuseTakenPorts(
      new Map([
        ['flow-builder', free],
        ['voice-api', taken],
      ]),
    );
  });
});
