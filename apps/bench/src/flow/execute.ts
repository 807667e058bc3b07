// POST /execute over HTTP, warm, of the built service as it runs in production, against a bare Express echo
// (docs/performance.md#http).
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  LOOPBACK,
  NODE_FLAGS,
  bundleApps,
  freePort,
  generateClients,
  startStack,
  type Stack,
} from '@parley/local-stack';
import { CONNECTIONS, serverFile, startLoad, underLoad, untilListening, type Aim } from '../http-load.ts';
import { LOAD_CORE, SERVER_CORE, canPin, startPinned, type PinnedProcess } from '../pinned-process.ts';
import type { Part, Setting } from '../suites.ts';
import { benchFlow, benchTurns } from './bench-flow.ts';
import { compiledBenchFlow } from './parley-walk.ts';
import { saidBy } from './same-walk.ts';

const NODES = 50;
const FLOW_ID = 'bench';
const WINDOW_SECONDS = 3;
const OURS = 'Parley execute, everything on';
const EXPRESS = 'Express 5 JSON echo';
const NODE = 'node:http JSON echo';

export const executePart: Part = {
  title: 'execute over HTTP',
  open: async (setting, measure) => {
    const { root, env, signal } = setting;
    const home = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    const stops: (() => Promise<void>)[] = [];
    try {
      await generateClients(root);
      await bundleApps({ root, apps: ['flow-builder'] });
      const stack = await startStack({
        root,
        home,
        distDir: join(root, 'dist'),
        env: { PATH: env['PATH'] },
        services: ['flow-builder'],
        queue: { kind: 'postgres' }, // a warm turn tells nobody: the queue engine is not measured
        throwaway: true,
        signal,
      });
      stops.push(() => stack.stop());
      const pin = canPin();
      const load = startLoad(pin, env);
      stops.push(() => load.stop());

      const service = await startMeasured(setting, stack, home, pin);
      stops.push(() => service.process.stop());
      const aim = await publishBenchFlow(stack.services['flow-builder'].apiKey, service.origin);
      await refuseWrongAnswers(aim);

      const echo = async (name: string) => {
        const port = await freePort();
        const started = startPinned({
          file: serverFile(name),
          args: [String(port)],
          core: SERVER_CORE,
          pin,
          env: { PATH: env['PATH'], NODE_ENV: 'production' },
          stdio: 'inherit',
        });
        stops.push(() => started.stop());
        const url = `http://${LOOPBACK}:${port}/`;
        await untilListening(url);
        return { pid: started.pid, aim: { ...aim, url, marker: '"current_node":"ask_' } };
      };
      const express = await echo('express-echo');
      const node = await echo('node-echo');

      await measure({
        title: `POST /execute over HTTP, warm, ${CONNECTIONS} keep-alive connections, 2 KB`,
        operation: 'request',
        windowSeconds: WINDOW_SECONDS,
        variants: [
          underLoad(OURS, load, service.process.pid, aim),
          underLoad(EXPRESS, load, express.pid, express.aim),
          underLoad(NODE, load, node.pid, node.aim),
        ],
        ratios: [
          { of: 'rate', over: OURS, under: EXPRESS, atLeast: 1.6, aim: 2 },
          { of: 'rate', over: OURS, under: NODE },
        ],
        note: pin
          ? `servers on core ${SERVER_CORE}, load on core ${LOAD_CORE}; every answer was a 2xx with the right content`
          : 'nothing is pinned: this machine has one core, or no taskset; every answer was a 2xx with the right content',
      });
    } finally {
      for (const stop of stops.reverse()) await stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/**
 * The stack's own service runs as in development, where every answer is checked against its schema. Measured is a second
 * process of the same bundle, on the same database, with the settings of production.
 */
async function startMeasured({ root, env }: Setting, stack: Stack, home: string, pin: boolean) {
  const port = await freePort();
  const log = openSync(join(home, 'measured.log'), 'a');
  const secret = (name: string): string => pathToFileURL(join(home, 'secrets', name)).href;
  const measured: PinnedProcess = startPinned({
    file: join(root, 'dist', 'apps', 'flow-builder', 'main.mjs'),
    nodeArgs: NODE_FLAGS,
    core: SERVER_CORE,
    pin,
    env: {
      PATH: env['PATH'],
      NODE_ENV: 'production',
      ROLE: 'http',
      LOG_LEVEL: 'info',
      HOST: LOOPBACK,
      PORT: String(port),
      DATABASE_URL: stack.services['flow-builder'].databaseUrl,
      QUEUE_URL: stack.queueUrl,
      DATA_KEY: secret('data-key'),
      QUEUE_KEY: secret('queue-key'),
      MESSAGE_KEYS: secret('message-keys-flow-builder'),
    },
    stdio: ['ignore', log, log],
  });
  const origin = `http://${LOOPBACK}:${port}`;
  await untilListening(origin);
  return { process: measured, origin };
}

/** Stores and publishes the bench flow through the API; returns how a turn of it is asked for. */
export async function publishBenchFlow(apiKey: string, origin: string): Promise<Aim> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  await post('/v1/flows', { flow_id: FLOW_ID, definition: benchFlow(NODES) });
  await post(`/v1/flows/${FLOW_ID}/publish`, {});
  return {
    url: `${origin}/product/v1/flows/${FLOW_ID}/execute`,
    headers,
    bodies: benchTurns().map((turn) => JSON.stringify(turn)),
    marker: '"status":"waiting"',
  };
}

/** The service answers every body of the load as the engine does in this process. */
export async function refuseWrongAnswers({ url, headers, bodies }: Aim): Promise<void> {
  const flow = compiledBenchFlow(NODES);
  const turns = benchTurns();
  for (const [index, body] of bodies.entries()) {
    const response = await fetch(url, { method: 'POST', headers, body });
    const answer = (await response.json()) as { next_node: string; outputs: { text: string }[] };
    const expected = saidBy(flow, turns[index]!);
    const texts = answer.outputs.map(({ text }) => text);
    if (answer.next_node !== expected.nextNode || texts.join('\n') !== expected.texts.join('\n')) {
      throw new Error(`${url} answers a turn wrongly: ${JSON.stringify(answer)}`);
    }
  }
}
