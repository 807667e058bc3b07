// What it costs that a turn is recorded (docs/why.md#a-recorded-turn): POST /execute of a bot's
// turns, whose report is committed to the outbox before the answer, against the same service
// without the recording in the report.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTIONS, startLoad, underLoad } from '../http-load.ts';
import { LOAD_CORE, SERVER_CORE, canPin } from '../pinned-process.ts';
import { withServiceStack } from '../service-stack.ts';
import type { Part } from '../suites.ts';
import { executeAim, refuseWrongAnswers } from './execute.ts';
import { publishBenchFlow } from './measured-builder.ts';

const WINDOW_SECONDS = 3;
const WITH = 'with the recording';
const WITHOUT = 'without';
/**
 * The service has no switch for it: a copy of its bundle is made in which this line never records.
 */
const RECORDS = 'if (botId === null) return { recorded: null, redactor };';
const NEVER = 'return { recorded: null, redactor };';
const COPY = 'main-without-recording.mjs';
const CHUNK_COPY = 'chunks/without-recording.mjs';
const CHUNK = /"\.\/(chunks\/[\w-]+\.mjs)"/g;

export const recordingPart: Part = {
  title: 'recording over HTTP',
  open: (setting, measure) =>
    withServiceStack('flow-builder', setting, async (stack) => {
      const bundle = join(setting.root, 'dist', 'apps', 'flow-builder');
      const main = readFileSync(join(bundle, 'main.mjs'), 'utf8');
      const files = new Set(['main.mjs', ...[...main.matchAll(CHUNK)].map(([, chunk]) => chunk!)]);
      const [recorder, ...others] = [...files]
        .map((file) => ({ file, code: readFileSync(join(bundle, file), 'utf8') }))
        .filter(({ code }) => code.includes(RECORDS));
      if (recorder === undefined || others.length > 0)
        throw new Error(`not one file of the flow builder says: ${RECORDS}`);
      writeFileSync(join(bundle, COPY), main.replaceAll(recorder.file, CHUNK_COPY));
      const copy = recorder.file === 'main.mjs' ? COPY : CHUNK_COPY;
      writeFileSync(join(bundle, copy), recorder.code.replace(RECORDS, NEVER));
      stack.onStop(async () => {
        for (const one of new Set([COPY, copy])) rmSync(join(bundle, one));
      });

      const pin = canPin();
      const core = pin ? SERVER_CORE : undefined;
      if (pin) stack.pinStores(LOAD_CORE);
      const recording = await stack.startService('http', { core });
      const silent = await stack.startService('http', { core, file: COPY });
      const load = startLoad(pin, setting.env);
      stack.onStop(() => load.stop());

      const headers = await publishBenchFlow(stack.apiKey, recording.origin);
      const aim = executeAim(recording.origin, headers);
      const aimAt = (origin: string, conversation: string) => ({
        ...aim,
        url: aim.url.replace(recording.origin, origin),
        bodies: aim.bodies.map((body, index) =>
          JSON.stringify({
            ...(JSON.parse(body) as object),
            bot_id: 'bot_bench',
            session_id: `${conversation}-${index}`,
          }),
        ),
      });
      const aims = [aimAt(recording.origin, 'recorded'), aimAt(silent.origin, 'silent')] as const;
      for (const one of aims) await refuseWrongAnswers(one);
      for (const [conversation, recorded] of [
        ['recorded', aim.bodies.length],
        ['silent', 0],
      ] as const) {
        const { rows } = await stack.pool.query<{ count: number }>(
          'SELECT count(*)::int AS count FROM outbox WHERE payload LIKE $1 AND payload LIKE $2',
          [`%"${conversation}-%`, '%"variables_in":%'],
        );
        if (rows[0]!.count !== recorded)
          throw new Error(`${rows[0]!.count} turns of ${conversation} are recorded, not ${recorded}`);
      }

      await measure({
        title: `POST /execute of a bot's turns, ${CONNECTIONS} keep-alive connections, 2 KB`,
        operation: 'request',
        windowSeconds: WINDOW_SECONDS,
        variants: [
          underLoad(WITH, load, recording.process.pid, aims[0]),
          underLoad(WITHOUT, load, silent.process.pid, aims[1]),
        ],
        ratios: [{ of: 'rate', over: WITH, under: WITHOUT, atLeast: 0.95 }],
        note: `reports durable in Postgres, jobs in ${stack.queueDescription}; nobody takes them${pin ? `; service on core ${SERVER_CORE}, load and stores on core ${LOAD_CORE}` : ''}`,
      });
    }),
};
