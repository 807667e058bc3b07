// Peers that are no dependency of Parley: npm installs them on demand, each into a folder of its
// own under .parley/peers.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part, Setting } from '../suites.ts';

/** Exact versions. Node-RED 5 needs Node 22.9. */
const PEERS = {
  'Node-RED': { 'node-red': '4.1.15' },
  botbuilder: {
    botbuilder: '4.23.3',
    'botbuilder-dialogs': '4.23.3',
    'botbuilder-dialogs-adaptive': '4.23.3-preview',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
export type Peer = keyof typeof PEERS;

const INSTALLED_WITHIN_MS = 300_000;
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E?HOSTUNREACH|ENETUNREACH)\b/;

/** Says why npm did not install a peer, from what it printed. */
export function explainInstallFailure(peer: string, printed: string): string {
  const unreachable = UNREACHABLE.exec(printed)?.[1];
  if (unreachable !== undefined)
    return `${peer} is not measured: npm cannot reach its registry (${unreachable}). Check the network and \`npm config get registry\`, then repeat the command.`;
  const said = printed.split('\n').find((line) => /^npm (error|ERR!) (?!code\b)\S/.test(line));
  return `${peer} is not measured: npm did not install it. ${said ?? 'It printed nothing.'}`;
}

/** A part that needs a peer. `open` gets its folder; without it, the part says why and ends. */
export function partWithPeer(
  peer: Peer,
  open: (folder: string, ...rest: Parameters<Part['open']>) => Promise<void>,
): Part {
  return {
    title: peer,
    open: async (setting, measure, tell) => {
      const installed = await installPeer(peer, setting);
      if ('refusal' in installed) tell({ title: installed.refusal, figures: [] });
      else await open(installed.folder, setting, measure, tell);
    },
  };
}

async function installPeer(
  peer: Peer,
  { root, env, signal }: Setting,
): Promise<{ folder: string } | { refusal: string }> {
  const dependencies = PEERS[peer];
  const folder = join(root, '.parley', 'peers', peer.toLowerCase());
  const isThere = Object.entries(dependencies).every(
    ([name, version]) => versionIn(folder, name) === version,
  );
  if (isThere) return { folder };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    '--loglevel=error',
  ];
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...env }, signal, timeout: INSTALLED_WITHIN_MS };
    execFile('npm', args, options, (error, stdout, stderr) => {
      const printed = `${stderr}\n${stdout}${error?.killed ? '\nnpm error It took too long.' : ''}`;
      resolve(error === null ? { folder } : { refusal: explainInstallFailure(peer, printed) });
    });
  });
}

function versionIn(folder: string, name: string): string | undefined {
  const file = join(folder, 'node_modules', name, 'package.json');
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : undefined;
}
