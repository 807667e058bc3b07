// `npm run bench -- <suite> [--json] [--rounds n] [--only text]`: measures, prints, and ends with
// status 0 also where a target is missed, since it reports and does not judge. The only reader of
// process.env.
import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '@parley/testing';
import { measure, type Measured, type Reading } from './harness.ts';
import { asJson, asTable, asText, readingAsText } from './report.ts';
import { suites } from './suites.ts';

/** Fewer say nothing: windows vary by 20 % on a machine that others use too. */
const ROUNDS_DEFAULT = 5;

const names = Object.keys(suites).join('|');
const usage = `npm run bench -- <${names}> [--json] [--rounds <n>] [--only <part of a title>]`;

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: { json: { type: 'boolean' }, rounds: { type: 'string' }, only: { type: 'string' } },
});
const [name = ''] = positionals;
const suite = suites[name];
const rounds = Number(values.rounds ?? ROUNDS_DEFAULT);
if (suite === undefined) refuseCommandLine(usage, name === '' ? 'Name a suite' : `No suite "${name}"`);
if (!Number.isInteger(rounds) || rounds < 1) refuseCommandLine(usage, '--rounds is an integer from 1 on');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopping.abort(new Error('stopped')));
}
const results: Measured[] = [];
const readings: Reading[] = [];
const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
try {
  for (const part of await suite(root)) {
    if (values.only !== undefined && !part.title.includes(values.only)) continue;
    await part.open(
      { root, env: process.env, signal: stopping.signal, rounds },
      async (comparison) => {
        const measured = await measure(comparison, rounds, stopping.signal);
        results.push(measured);
        if (!values.json) console.log(asText(measured));
        return measured;
      },
      (reading) => {
        readings.push(reading);
        if (!values.json) console.log(readingAsText(reading));
      },
    );
  }
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  console.error('stopped');
  process.exitCode = 130;
}
if (values.json) console.log(asJson(name, results, readings));
else if (results.length > 1) console.log(asTable(results));
