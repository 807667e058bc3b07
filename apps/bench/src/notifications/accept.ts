// Accepting a notification over one channel, against a bare Express that inserts one row through
// Prisma (docs/performance.md#benches).
import { freePort, LOOPBACK } from '@parley/testing/servers';
import { CONNECTIONS, serverFile, startLoad, underLoad, untilListening, type Aim } from '../http-load.ts';
import { SERVER_CORE, canPin, startPinned } from '../pinned-process.ts';
import { withServiceStack } from '../service-stack.ts';
import type { Part } from '../suites.ts';

const WINDOW_SECONDS = 3;
const IN_APP = 'Parley notify, in_app';
const WEBHOOK = 'Parley notify, webhook';
const BARE = 'Express 5 + Prisma, one insert';
const MESSAGE = 'Your order has left our warehouse and will be with you tomorrow.';

export const acceptPart: Part = {
  title: 'accept',
  open: (setting, measure) =>
    withServiceStack('notifications', setting, async (stack) => {
      const { env } = setting;
      const pin = canPin();
      const load = startLoad(pin, env);
      stack.onStop(() => load.stop());
      const service = await stack.startService('http', { core: pin ? SERVER_CORE : undefined });
      const port = await freePort();
      const bare = startPinned({
        file: serverFile('express-prisma'),
        args: [String(port)],
        nodeArgs: ['--import', 'tsx'],
        core: SERVER_CORE,
        pin,
        env: { PATH: env['PATH'], NODE_ENV: 'production', DATABASE_URL: stack.databaseUrl },
        stdio: 'inherit',
      });
      stack.onStop(() => bare.stop());
      const bareUrl = `http://${LOOPBACK}:${port}/`;
      await untilListening(bareUrl);

      const headers = { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' };
      const notify = (target: object) => ({
        url: `${service.origin}/v1/notify`,
        headers,
        bodies: [JSON.stringify({ channels: Object.keys(target), message: MESSAGE, target })],
        marker: '"notification_id":"ntf_',
      });
      const aims: Readonly<Record<string, Aim>> = {
        [IN_APP]: notify({ in_app: { user_id: 'user-1' } }),
        [WEBHOOK]: notify({ webhook: { url: 'https://127.0.0.1/hook' } }),
        [BARE]: {
          url: bareUrl,
          headers,
          bodies: [JSON.stringify({ message: MESSAGE })],
          marker: '"id":"bare_',
        },
      };
      // Once by hand: the first query of a process takes as long as a whole warm-up, and a wrong
      // answer says what is wrong.
      for (const aim of Object.values(aims)) await answersRightly(aim);
      await measure({
        title: `Accepting a notification, ${CONNECTIONS} keep-alive connections`,
        operation: 'request',
        windowSeconds: WINDOW_SECONDS,
        variants: [
          underLoad(IN_APP, load, service.process.pid, aims[IN_APP]!),
          underLoad(WEBHOOK, load, service.process.pid, aims[WEBHOOK]!),
          underLoad(BARE, load, bare.pid, aims[BARE]!),
        ],
        ratios: [
          { of: 'rate', over: WEBHOOK, under: BARE, atLeast: 0.5 },
          { of: 'rate', over: IN_APP, under: BARE, atLeast: 0.5 },
        ],
        note:
          'in_app writes the notification, its delivery and the inbox item; webhook writes two rows and rings the queue ' +
          `(${stack.queueDescription}); both with credential, schemas, metrics and log line. The bare one checks nothing and writes one row`,
      });
    }),
};

async function answersRightly({ url, headers, bodies, marker }: Aim): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: bodies[0]! });
  const text = await response.text();
  if (!response.ok || !text.includes(marker)) throw new Error(`${url}: ${response.status} ${text}`);
}
