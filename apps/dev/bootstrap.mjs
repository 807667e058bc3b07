// The first program that runs in a fresh clone: plain JavaScript without a dependency, since
// nothing is installed yet. `node apps/dev/bootstrap.mjs <command> [arguments]` checks Node,
// installs what is missing, then runs src/<command>.ts in this same process, so that signals and
// the exit status need no passing on.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installReason, lockHash, needsTools, nodeProblem } from './bootstrap-decisions.mjs';

const here = dirname(fileURLToPath(import.meta.url)); // import.meta.dirname is too new for the Nodes that must be refused here
const root = join(here, '..', '..');
const stampFile = join(root, 'node_modules', '.parley-lock');

const problem = nodeProblem(process.versions.node, process.execPath);
if (problem !== null) fail(problem);

const commands = readdirSync(join(here, 'src', 'commands')).map((file) => file.replace(/\.ts$/, ''));
const [command = ''] = process.argv.slice(2);
if (!commands.includes(command))
  fail(`Usage: node apps/dev/bootstrap.mjs <${commands.join('|')}> [arguments]`);

const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const withTools = needsTools(command);
const stamp = readIfThere(stampFile);
const reason = installReason({
  lockText,
  withTools,
  stamp,
  installedText: readIfThere(join(root, 'node_modules', '.package-lock.json')),
});
if (reason !== null) await install(reason);

await import('tsx'); // from here on this process reads TypeScript
await import(pathToFileURL(join(here, 'src', 'commands', `${command}.ts`)).href);

/** `npm ci`, quietly, with a sign of life now and then; everything it said when it fails. */
async function install(why) {
  const startedAtMs = Date.now();
  const seconds = () => `${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`;
  console.log(`  … packages are being installed with npm ci (${why}); about half a minute`);
  const alive = setInterval(() => console.log(`  … packages are being installed, ${seconds()}`), 10_000);
  // npm names the file it runs from, so the same npm is used whatever PATH says. Tools are
  // development packages. They are added to what is there, since a stack may be running from it.
  const npm = process.env.npm_execpath;
  const addsTools = withTools && stamp === lockHash(lockText, false);
  const verb = addsTools ? ['install', '--no-save'] : ['ci'];
  const args = [
    ...verb,
    withTools ? '--include=dev' : '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const child = npm?.endsWith('.js')
    ? spawn(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  const status = await new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', (error) => {
      output += error.message;
      resolve(1);
    });
  });
  process.off('exit', stop);
  clearInterval(alive);
  if (status !== 0) fail(`npm ci failed:\n${output.trim()}`);
  writeFileSync(stampFile, lockHash(lockText, withTools));
  console.log(`  ✓ packages installed, ${seconds()}`);
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
