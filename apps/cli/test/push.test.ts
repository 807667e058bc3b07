// `parley flows push` with a stand-in for the flow builder: order of calls, findings, publishing.
import { mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ApiError, NotFoundError, type FlowBuilder } from '@parley/sdk';
import { openLock, readFolder } from '../src/flows/folder.ts';
import { push } from '../src/flows/remote.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const flows = readFolder(join(root, 'apps/cli/examples/flows'));
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-push-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Accepts a flow only when the flow that it calls is published. */
function createServer() {
  const calls: string[] = [];
  const server = {
    getFlow: () => Promise.reject(new NotFoundError(new Response(null, { status: 404 }), {})),
    async *listTests() {},
    putTest: () => Promise.resolve(),
    createFlow: ({ body: { flow_id } }: { body: { flow_id: string } }) => {
      if (flow_id === 'booking' && !calls.includes('publish identify')) {
        const errors = [{ path: '/nodes/0', code: 'call_unknown', message: 'not published' }];
        throw new ApiError(new Response(null, { status: 422 }), { validation: { errors } });
      }
      calls.push(`create ${flow_id}`);
      return Promise.resolve({ version: 1, published_version: null, validation: { errors: [] } });
    },
    publishFlow: ({ flow_id }: { flow_id: string }) => Promise.resolve(calls.push(`publish ${flow_id}`)),
  };
  return { calls, server: server as unknown as FlowBuilder };
}

async function run(publishes: boolean) {
  const { calls, server } = createServer();
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const isWhole = await push(server, { flows, lock: openLock(dir, 'http://test'), publishes, print });
  return { calls, lines, isWhole };
}

test('pushes and publishes called flows first', async () => {
  expect(await run(true)).toMatchObject({
    calls: ['create identify', 'publish identify', 'create booking', 'publish booking'],
    isWhole: true,
  });
});

test('prints the findings of a refused flow with its file, and pushes the others', async () => {
  expect(await run(false)).toMatchObject({
    calls: ['create identify'],
    lines: expect.arrayContaining(['booking.yaml: error /nodes/0 call_unknown: not published']),
    isWhole: false,
  });
});

test('a reader that closes the pipe early causes no error', () => {
  const program = ['--import', 'tsx', 'apps/cli/src/main.ts', '--help'];
  const command = `'${process.execPath}' ${program.join(' ')} | :`;
  const { stderr, status } = spawnSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});
