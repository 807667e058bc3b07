// nginx in front of a server under test, on loopback: Debian's, unpacked where there is none on
// PATH.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK, freePort } from './ports.ts';
import { findUnpacked, unpack, type DebianProgram, type Program } from './apt-package.ts';

const READY_INTERVAL_MS = 20;
const DEBIAN: DebianProgram = { packages: ['nginx'], path: 'usr/sbin/nginx', runs };

/** @param tools the folder under which it is unpacked: `.parley` of the checkout. */
export async function nginxHere(path: string, tools: string): Promise<Program> {
  // Debian keeps it where only root looks.
  const folders = [...path.split(delimiter), '/usr/sbin'].filter((folder) => folder !== '');
  const installed = folders.map((folder) => ({ path: join(folder, 'nginx') })).find(runs);
  const folder = join(tools, 'nginx-apt');
  return installed ?? findUnpacked(folder, DEBIAN) ?? unpack(folder, DEBIAN);
}

export interface Nginx {
  readonly port: number;
  stop(): Promise<void>;
}

/** Passes everything on to `port`; `proxy`: more directives of that location. */
export async function startNginx(
  program: Program,
  home: string,
  port: number,
  proxy: readonly string[],
): Promise<Nginx> {
  const own = await freePort();
  mkdirSync(home, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  const configuration = `daemon off; master_process off; pid ${home}/nginx.pid; error_log ${home}/error.log;
events {}
http {
  access_log off; ${temporary.join(' ')}
  upstream behind { server ${LOOPBACK}:${port}; keepalive 1; }
  server {
    listen ${LOOPBACK}:${own};
    location / {
      proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection "";
      ${proxy.map((line) => `${line};`).join(' ')}
    }
  }
}`;
  const file = join(home, 'nginx.conf');
  writeFileSync(file, configuration);
  const errors = join(home, 'error.log');
  const child = spawn(program.path, ['-p', home, '-c', file, '-e', errors], {
    env: environment(program),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (!(await answers(`http://${LOOPBACK}:${own}/ready`))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(errors, 'utf8')}`);
    await sleep(READY_INTERVAL_MS);
  }
  return {
    port: own,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function runs(program: Program): boolean {
  if (!existsSync(program.path)) return false;
  try {
    execFileSync(program.path, ['-v'], { env: environment(program), stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

function environment({ libraryPath }: Program): Record<string, string> {
  return libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath };
}
