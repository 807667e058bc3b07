// `npm run test:browser`: "An inbox in ten minutes" (docs/inbox.md) as a reader does it. The
// packages are packed, a fresh page of Vite in an empty folder installs them, and Chromium opens
// it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { mintToken, removeHome, startStack } from '@parley/dev/stack';
import { findChromium } from '@parley/testing';

const here = findChromium(); // before anything is started
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'parley-fresh-page-'));
const shop = join(folder, 'shop');
const home = join(root, '.parley', `fresh-page-${process.pid}`);

/** The blocks of the section, by language. */
const section = /^## An inbox in ten minutes$(.*?)^## /ms.exec(
  readFileSync(join(root, 'docs/inbox.md'), 'utf8'),
)![1]!;
const block = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(section)![1]!;

/** The page is built later, when the address of the service is known. */
const site = createServer((request, response) => {
  const path = join(
    shop,
    'dist',
    request.url === '/' ? 'index.html' : new URL(request.url!, 'http://x').pathname,
  );
  if (!existsSync(path)) return void response.writeHead(404).end();
  const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
  const type = types[path.split('.').at(-1) as keyof typeof types];
  response.setHeader('content-type', `${type}; charset=utf-8`).end(readFileSync(path));
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

const stack = await startStack({
  root,
  home,
  released: true,
  env: { PATH: process.env['PATH'], QUEUE_URL: process.env['TEST_REDIS_URL'], CORS_ORIGINS: origin },
  services: ['notifications'],
  throwaway: true,
});
const { origin: service, apiKey } = stack.services.notifications;

function packPackages(): string[] {
  for (const name of ['sdk', 'inbox'])
    run(root, process.execPath, 'apps/dev/build-package.mjs', `libs/${name}`, join(folder, 'built', name));
  run(folder, 'npm', 'pack', './built/sdk', './built/inbox');
  return readdirSync(folder).filter((name) => name.endsWith('.tgz'));
}

const run = (cwd: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** What `npm create vite` writes, without asking a registry; React comes from this checkout. */
async function makePage(): Promise<void> {
  mkdirSync(join(shop, 'src'), { recursive: true });
  const files: Record<string, string> = {
    'package.json': '{ "name": "shop", "private": true, "type": "module" }',
    'index.html':
      '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/src/main.tsx"></script>',
    'src/main.tsx': `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App.tsx';
createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>);`,
    'src/App.tsx': block('tsx').replace('http://127.0.0.1:3003', service),
    '.env.local': `VITE_PARLEY_TOKEN=${await mintToken(stack, 'ada')}`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(shop, name), text);
  const packed = packPackages().map((name) => `../${name}`);
  run(shop, 'npm', 'install', '--offline', '--no-audit', '--no-fund', ...packed);
  for (const name of ['react', 'react-dom', 'scheduler'])
    cpSync(join(root, 'node_modules', name), join(shop, 'node_modules', name), { recursive: true });
  await build({ root: shop, configFile: false, logLevel: 'warn', plugins: [react()] });
}

/** The `curl` of the page, with the key and the address of this stack. */
async function sendAsDocumented(): Promise<void> {
  const body = /-d '(.*?)'/s.exec(section)![1]!;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${service}/v1/notify`, { method: 'POST', headers, body });
  assert.equal(answer.status, 202, await answer.text());
}

const browser = await chromium.launch(here);
try {
  await makePage();
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(origin);
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  await sendAsDocumented();
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
  await page.getByRole('button', { name: 'Dinner is ready' }).waitFor();
  const position = await page.evaluate(
    "getComputedStyle(document.querySelector('.parley-inbox-bell')).position",
  );
  assert.equal(position, 'relative', 'the style sheet of the package applies');

  await page.getByRole('button', { name: 'Snooze', exact: true }).click();
  await page.getByRole('button', { name: 'For an hour' }).click();
  await page.getByText('No notifications').waitFor();
  await page.getByRole('button', { name: 'Preferences' }).click();
  const everything = page.getByRole('checkbox', { name: 'All notifications that are not required' });
  await everything.click();
  await page.waitForFunction('!document.querySelector("input[type=checkbox]").checked');

  const long = {
    channels: ['in_app'],
    target: { in_app: { user_id: 'ada' } },
    message: 'Long words. '.repeat(200),
  };
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  await fetch(`${service}/v1/notify`, { method: 'POST', headers, body: JSON.stringify(long) });
  await page.getByRole('button', { name: 'All', exact: true }).click();
  const height = async () =>
    Number(await page.evaluate("document.querySelector('.parley-inbox-clamp').offsetHeight"));
  await page.getByRole('button', { name: 'Show more' }).waitFor();
  const cut = await height();
  await page.getByRole('button', { name: 'Show more' }).click();
  assert.ok((await height()) > 2 * cut, 'all of a long text is shown');
  assert.deepEqual(complaints, []);
  console.log('  ✓ an inbox in ten minutes: packed, built, opened');
} finally {
  await browser.close();
  await stack.stop();
  site.close();
  await removeHome(home);
  rmSync(folder, { recursive: true, force: true });
}
