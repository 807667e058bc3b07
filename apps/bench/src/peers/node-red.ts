// The three questions over HTTP: Parley with all that it does, the engine alone, and Node-RED.
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { publishFlow } from '../flow/measured-builder.ts';
import { CONNECTIONS, startLoad, underLoad, untilListening, type Aim } from '../http-load.ts';
import { LOAD_CORE, SERVER_CORE, canPin, startPinned } from '../pinned-process.ts';
import { withServiceStack } from '../service-stack.ts';
import type { Setting } from '../suites.ts';
import { startEngine } from './bundled-engine.ts';
import { partWithPeer } from './packages.ts';
import { DEFINITION, FLOW_ID, SAID, TURNS, nodeRedFlow } from './three-questions.ts';

const WINDOW_SECONDS = 3;
const TARGET = 5;
const EVERYTHING = 'Parley, reported and recorded';
const UNREPORTED = 'Parley, without a bot';
const ENGINE = 'Parley engine behind node:http';
const NODE_RED = 'Node-RED';

export const nodeRedPart = partWithPeer('Node-RED', (folder, setting, measure) =>
  withServiceStack('flow-builder', setting, async (stack) => {
    const pin = canPin();
    if (pin) stack.pinStores(LOAD_CORE);
    const service = await stack.startService('http', { core: pin ? SERVER_CORE : undefined });
    const engine = await startEngine(setting, pin);
    stack.onStop(() => engine.stop());
    const nodeRed = await startNodeRed(folder, setting, pin);
    stack.onStop(() => nodeRed.stop());
    const load = startLoad(pin, setting.env);
    stack.onStop(() => load.stop());

    const headers = await publishFlow(stack.apiKey, service.origin, FLOW_ID, DEFINITION);
    const url = `${service.origin}/product/v1/flows/${FLOW_ID}/execute`;
    const reported = { bot_id: 'bot_bench', session_id: '[<id>]' };
    const aims = {
      [EVERYTHING]: toAim(url, headers, reported),
      [UNREPORTED]: toAim(url, headers),
      [ENGINE]: toAim(engine.url, headers),
      [NODE_RED]: toAim(nodeRed.url, headers),
    };
    for (const aim of Object.values(aims)) await refuseOtherTexts(aim);
    const pids = {
      [EVERYTHING]: service.process.pid,
      [UNREPORTED]: service.process.pid,
      [ENGINE]: engine.pid,
      [NODE_RED]: nodeRed.pid,
    };
    await measure({
      title: `Three questions over HTTP, ${CONNECTIONS} keep-alive connections`,
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: Object.entries(aims).map(([name, aim]) =>
        underLoad(name, load, pids[name as keyof typeof pids], aim),
      ),
      ratios: [
        { of: 'rate', over: UNREPORTED, under: NODE_RED, atLeast: TARGET },
        { of: 'rate', over: EVERYTHING, under: NODE_RED },
        { of: 'rate', over: ENGINE, under: NODE_RED },
      ],
      note:
        'Node-RED has a switch and a function a question; Parley checks credential, scope and schemas and writes a log line; ' +
        `turns of a bot are durable in Postgres with their recording${pin ? `; servers on core ${SERVER_CORE}, load and stores on core ${LOAD_CORE}` : ''}`,
    });
  }),
);

function toAim(url: string, headers: Aim['headers'], more: object = {}): Aim {
  const bodies = TURNS.map((turn) => JSON.stringify({ ...turn, ...more }));
  return { url, headers, bodies, marker: '"outputs":[{' };
}

async function refuseOtherTexts({ url, headers, bodies }: Aim): Promise<void> {
  for (const [index, body] of bodies.entries()) {
    const response = await fetch(url, { method: 'POST', headers, body: body.replace('[<id>]', `${index}`) });
    const answer = await response.text();
    const { outputs = [] } = JSON.parse(answer) as { outputs?: readonly { readonly text: string }[] };
    if (outputs.map(({ text }) => text).join('\n') !== SAID[index]!.join('\n'))
      throw new Error(`${url} answers turn ${index} wrongly: ${answer}`);
  }
}

/** As in production: no editor, no log, nothing reported. */
async function startNodeRed(folder: string, { env }: Setting, pin: boolean) {
  const home = await mkdtemp(join(tmpdir(), 'parley-node-red-'));
  const port = await freePort();
  const settings = {
    uiHost: LOOPBACK,
    uiPort: port,
    userDir: home,
    flowFile: 'flows.json',
    httpAdminRoot: false,
    logging: { console: { level: 'off' } },
    diagnostics: { enabled: false },
    telemetry: { enabled: false },
    credentialSecret: false,
  };
  writeFileSync(join(home, 'flows.json'), JSON.stringify(nodeRedFlow()));
  writeFileSync(join(home, 'settings.js'), `module.exports = ${JSON.stringify(settings)};`);
  const started = startPinned({
    file: join(folder, 'node_modules', 'node-red', 'red.js'),
    args: ['-s', join(home, 'settings.js')],
    core: SERVER_CORE,
    pin,
    env: { PATH: env['PATH'], HOME: home, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://${LOOPBACK}:${port}/execute`;
  await untilListening(url);
  const stop = async () => {
    await started.stop();
    await rm(home, { recursive: true, force: true });
  };
  return { pid: started.pid, url, stop };
}
