// The pages of docs/recovery.md that the drills follow: their commands, word for word.
import { spawn } from 'node:child_process';

export interface Page {
  readonly title: string;
  readonly text: string;
  /** The blocks of shell commands, in order. */
  readonly commands: readonly string[];
}

/** Sections `### <title>` of `## Drills`. */
export function parsePages(markdown: string): Page[] {
  const [, drills = ''] = /^## Drills$(.*?)(?=^## |(?![^]))/ms.exec(markdown) ?? [];
  return drills
    .split(/^### /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')).trim(),
      text: section,
      commands: [...section.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block!.trim()),
    }));
}

export interface Follower {
  /** Runs the next commands of the page. */
  next(more?: Readonly<Record<string, string>>): Promise<void>;
  /** @throws Error unless all commands of the page were run. */
  finish(): void;
}

export interface FollowOptions {
  readonly page: Page;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The system user of the database server: its programs refuse root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly say: (line: string) => void;
}

export function followPage({ page, cwd, env, user, say }: FollowOptions): Follower {
  let at = 0;
  return {
    next: async (more = {}) => {
      const commands = page.commands[at];
      if (commands === undefined) throw new Error(`"${page.title}" has only ${at} blocks of commands`);
      at += 1;
      say(commands.replace(/^/gm, '    $ '));
      const isServer = /\bpg_(ctl|basebackup)\b/.test(commands);
      const options = isServer ? { cwd: '/', ...user } : { cwd };
      await runShell(commands, { ...options, env: { ...env, ...more } });
    },
    finish: () => {
      if (at !== page.commands.length) throw new Error(`"${page.title}" has commands that no drill runs`);
    },
  };
}

/** @throws Error with the output when a command fails. */
function runShell(
  commands: string,
  options: { cwd: string; env: Readonly<Record<string, string>>; uid?: number; gid?: number },
): Promise<void> {
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Not `close`: a server that was started keeps the output open.
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`status ${code} of\n${commands}\n${output.slice(-4_000)}`));
    });
  });
}
