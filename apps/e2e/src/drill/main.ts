// `npm run drill -- <name …|all> [--every ms]`: loses real servers under load, follows the page of
// docs/recovery.md word for word, and prints what was accepted, lost and reported. Exits with 1
// when something was never reported, or reported under two ids. Only this file reads process.env
// and process.argv.
import { readCommandLine, refuseCommandLine } from '@parley/testing';
import { DRILLS } from './drills.ts';
import { runDrill } from './run-drill.ts';

const EVERY_MS = 250;
const usage = `npm run drill -- <name …|all> [--every <ms>]
Drills: ${DRILLS.map(({ name }) => name).join(' ')}`;

const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: { every: { type: 'string', default: String(EVERY_MS) } },
});
const chosen = positionals.includes('all')
  ? DRILLS
  : positionals.flatMap((given) => DRILLS.filter(({ name }) => name === given));
const everyMs = Number(values.every);
if (chosen.length === 0 || (!positionals.includes('all') && chosen.length !== positionals.length))
  refuseCommandLine(usage, 'name drills, or all');
if (!(everyMs > 0)) refuseCommandLine(usage, '--every is a number of milliseconds');

const say = (line: string): void => console.log(line);
const rows = [
  '| drill | accepted | lost | never reported | twice, one id | twice, two ids | seconds until work went on |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];
for (const drill of chosen) {
  say(`\n${drill.name}: ${drill.title}`);
  try {
    const { accepted, lost, neverReported, twiceUnderOneId, twiceUnderTwoIds, seconds, problems } =
      await runDrill(drill, { env: process.env, everyMs, say });
    rows.push(
      `| \`${drill.name}\` | ${[accepted, lost, neverReported, twiceUnderOneId, twiceUnderTwoIds, seconds ?? 'never'].join(' | ')} |`,
    );
    for (const problem of problems) say(`✗ ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    say(rows.at(-1)!);
  } catch (error) {
    say(`✗ ${drill.name}: ${(error as Error).stack}`);
    process.exitCode = 1;
  }
}
say(`\n${rows.join('\n')}`);
process.exit();
