// What bootstrap.mjs decides, without doing it. Plain JavaScript: it runs before anything is
// installed.
import { createHash } from 'node:crypto';

/** The first minor version of the lines that have long-term support; all lines from `LATER` on run. */
const MINORS = { 20: 19, 22: 13 };
const LATER = 24;

/**
 * Why this Node cannot run Parley, in one sentence; null when it can: `engines` of the root, for an
 * npm that only warns.
 */
export function nodeProblem(version, path) {
  const [major, minor] = version.split('.').map(Number);
  if (major >= LATER || minor >= MINORS[major]) return null;
  const lines = Object.entries(MINORS).map((line) => `${line.join('.')} or later of ${line[0]}`);
  return `Parley needs Node ${lines.join(', ')}, or ${LATER} or newer; ${path} is Node ${version}. See https://nodejs.org/en/download`;
}

/**
 * Commands that need no tools of development: no compiler of types, linter, test runner, generator.
 */
const COMMANDS_WITHOUT_TOOLS = ['build', 'demo', 'examples', 'run', 'start'];

export function needsTools(command) {
  return !COMMANDS_WITHOUT_TOOLS.includes(command);
}

/** The stamp that a finished installation leaves. */
export function lockHash(lockText, withTools = true) {
  return `${createHash('sha256').update(lockText).digest('hex')}${withTools ? '' : ' without tools'}`;
}

/**
 * Why packages must be installed, or null when node_modules holds what package-lock.json says.
 * `stamp` is what our last installation left; `installedText` is npm's own record of node_modules,
 * which is believed too, so that whoever ran `npm ci` or `npm install` by hand need not wait for it
 * twice. Without tools, more than needed may be there: nothing is uninstalled.
 */
export function installReason({ lockText, stamp, installedText, withTools }) {
  if (installedText === null && stamp === null) return 'nothing is installed yet';
  const stamps = withTools ? [lockHash(lockText)] : [lockHash(lockText), lockHash(lockText, false)];
  if (stamps.includes(stamp?.trim())) return null;
  if (installedText === null) return 'package-lock.json changed since the last time';
  const wanted = JSON.parse(lockText).packages;
  const installed = JSON.parse(installedText).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue; // our own projects: their versions install nothing
    const found = installed[path];
    const isOptional = entry.optional || (!withTools && (entry.dev || entry.devOptional));
    if (found === undefined && !isOptional) return `${path} is missing`;
    if (found !== undefined && found.version !== entry.version) return `${path} is of another version`;
  }
  return null;
}
