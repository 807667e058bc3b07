// `npm run soak [-- --seconds n --json]`: ten minutes of steady load on the built services, and the
// trends of their resources. Exits with 1 when something grows or is lost. Only this file reads
// process.env and process.argv.
import { readCommandLine, refuseCommandLine } from '@parley/testing';
import { withServices } from '../chaos/with-services.ts';
import { runSoak, soakTable } from './run-soak.ts';

const SECONDS_DEFAULT = 600;

const usage = 'npm run soak [-- --seconds <n> --json]';

const { values } = readCommandLine(usage, {
  options: { seconds: { type: 'string' }, json: { type: 'boolean' } },
});
const seconds = Number(values.seconds ?? SECONDS_DEFAULT);
if (!(seconds > 0)) refuseCommandLine(usage, '--seconds is a number above 0');
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

process.exitCode = await withServices({ name: 'soak', env: process.env, say }, async (world) => {
  const report = await runSoak(world.stack, world.receivers, world.ledger, { ...world, seconds, print: say });
  soakTable(report).forEach(say);
  const wrong = [
    ...report.figures
      .filter(({ grows }) => grows)
      .map(({ figure, replica }) => `grows: ${figure} of ${replica}`),
    ...report.lost.map((what) => `lost: ${what}`),
    ...report.problems,
  ];
  return { wrong, json: values.json ? report : undefined, living: () => [] };
});
