// POST /execute over HTTP, warm, of the built service as it runs in production, against a bare
// Express echo (docs/performance.md#http).
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { CONNECTIONS, serverFile, underLoad, untilListening, type Aim } from '../http-load.ts';
import { LOAD_CORE, SERVER_CORE, startPinned } from '../pinned-process.ts';
import type { Part } from '../suites.ts';
import { benchTurns } from './bench-flow.ts';
import { FLOW_ID, NODES, withMeasuredBuilder } from './measured-builder.ts';
import { compiledBenchFlow } from './parley-walk.ts';
import { saidBy } from './same-walk.ts';

const WINDOW_SECONDS = 3;
const OURS = 'Parley execute, everything on';
const EXPRESS = 'Express 5 JSON echo';
const NODE = 'node:http JSON echo';

export const executePart: Part = {
  title: 'execute over HTTP',
  open: (setting, measure) =>
    withMeasuredBuilder(setting, async ({ origin, pid, headers, load, pin, stops }) => {
      const aim = executeAim(origin, headers);
      await refuseWrongAnswers(aim);

      const echo = async (name: string) => {
        const port = await freePort();
        const started = startPinned({
          file: serverFile(name),
          args: [String(port)],
          core: SERVER_CORE,
          pin,
          env: { PATH: setting.env['PATH'], NODE_ENV: 'production' },
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
          underLoad(OURS, load, pid, aim),
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
    }),
};

/** Turns of the bench flow, as they are asked for. */
export function executeAim(origin: string, headers: Aim['headers']): Aim {
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
