// A page in an empty folder as a reader of the documentation makes it: `npm create vite`, our
// packed packages, one component. Shared by the stories of the packages.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Page {
  /** Folders of `libs`. */
  readonly packages: readonly string[];
  /** The text of `src/App.tsx`. */
  readonly app: string;
  /** The text of `.env.local`. */
  readonly env: string;
}

export interface FreshSite {
  readonly origin: string;
  /** Once the addresses of the services are known. */
  build(page: Page): Promise<void>;
  close(): void;
}

/** `headers` go with every answer. */
export async function startFreshSite(headers: Readonly<Record<string, string>> = {}): Promise<FreshSite> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-fresh-page-'));
  const shop = join(folder, 'shop');
  const site = createServer((request, response) => {
    const path = join(
      shop,
      'dist',
      request.url === '/' ? 'index.html' : new URL(request.url!, 'http://x').pathname,
    );
    if (!existsSync(path)) return void response.writeHead(404).end();
    const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
    const type = types[path.split('.').at(-1) as keyof typeof types];
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('content-type', `${type}; charset=utf-8`).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    build: (page) => buildPage(folder, shop, page),
    close: () => {
      site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const run = (cwd: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** What `npm create vite` writes, without asking a registry; React comes from this checkout. */
async function buildPage(folder: string, shop: string, { packages, app, env }: Page): Promise<void> {
  mkdirSync(join(shop, 'src'), { recursive: true });
  const files: Record<string, string> = {
    'package.json': '{ "name": "shop", "private": true, "type": "module" }',
    'index.html':
      '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><main id="root"></main><script type="module" src="/src/main.tsx"></script>',
    'src/main.tsx': `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App.tsx';
createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>);`,
    'src/App.tsx': app,
    '.env.local': env,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(shop, name), text);
  for (const name of packages)
    run(root, process.execPath, 'apps/dev/build-package.mjs', `libs/${name}`, join(folder, 'built', name));
  run(folder, 'npm', 'pack', ...packages.map((name) => `./built/${name}`));
  const packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  // Without a registry npm cannot look up React, which is a peer and follows below.
  const options = ['--offline', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  run(shop, 'npm', 'install', ...options, ...packed.map((name) => `../${name}`));
  for (const name of ['react', 'react-dom', 'scheduler'])
    cpSync(join(root, 'node_modules', name), join(shop, 'node_modules', name), { recursive: true });
  await build({ root: shop, configFile: false, logLevel: 'warn', plugins: [react()] });
}

/** The block of a language under a heading of a page. */
export function readBlock(page: string, heading: string, language: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const section = new RegExp(`^## ${heading}$(.*?)^## `, 'ms').exec(text)![1]!;
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(section)![1]!;
}
