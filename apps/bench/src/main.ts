// `npm run bench -- <suite> [--json] [--rounds n] [--only text]`: measures, prints, and ends with
// status 0 also where a target is missed, since it reports and does not judge. The only reader of
// process.env.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure, type Measured, type Reading } from './harness.ts';
import { asJson, asText, readingAsText } from './report.ts';
import { suites } from './suites.ts';

/** Fewer say nothing: windows vary by 20 % on a machine that others use too. */
const ROUNDS_DEFAULT = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, rounds: { type: 'string' }, only: { type: 'string' } },
});
const [name = ''] = positionals;
const suite = suites[name];
const rounds = Number(values.rounds ?? ROUNDS_DEFAULT);
if (suite === undefined || !Number.isInteger(rounds) || rounds < 1) {
  console.error(
    `Usage: npm run bench -- <${Object.keys(suites).join('|')}> [--json] [--rounds n] [--only <part of a title>]`,
  );
  process.exit(1);
}

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
