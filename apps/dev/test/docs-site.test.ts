// The documentation builds as a site, and no link of it is dead.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICES } from '@parley/server/runtime';
import { buildSite } from '../src/docs-site/build-site.ts';
import { renderPage } from '../src/docs-site/render-page.ts';
import { readText, root } from './shipping/facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-docs-'));
let pages: string[];
const textOf = (page: string) => readFileSync(join(folder, page), 'utf8');
const anchorsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));

/** Links that lead nowhere, as `page: link`. */
function deadLinks(all: readonly string[], read: (page: string) => string): string[] {
  const anchors = new Map(all.map((page) => [page, anchorsOf(read(page))]));
  return all.flatMap((page) =>
    [...read(page).matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link]) => {
      if (/^[a-z]+:/.test(link!)) return [];
      const [target = '', anchor] = link!.split('#');
      const place = target === '' ? page : posix.join(posix.dirname(page), target);
      const isThere = anchors.has(place) || existsSync(join(folder, place));
      const isFound = anchor === undefined || anchors.get(place)?.has(anchor);
      return isThere && isFound ? [] : [`${page}: ${link}`];
    }),
  );
}

beforeAll(() => {
  buildSite(root, folder);
  pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the site', () => {
  test('has every page of docs/, the API references and the version in each title', () => {
    const docs = readdirSync(join(root, 'docs')).filter(
      (file) => file.endsWith('.md') && file !== 'README.md',
    );
    expect(pages).toEqual(
      expect.arrayContaining([
        'index.html',
        'k8s/index.html',
        ...docs.map((file) => file.replace('.md', '.html')),
        ...SERVICES.map((service) => `api/${service}.html`),
      ]),
    );
    const { version } = JSON.parse(readText('package.json')) as { version: string };
    for (const page of pages) expect(textOf(page)).toContain(` · Parley ${version}</title>`);
  });

  test('has no dead link, and a planted one is found', () => {
    expect(deadLinks(pages, textOf)).toEqual([]);
    const planted =
      '<a href="nowhere.html">a</a><a href="#nothing">b</a><a href="runbooks.html#parleyerrors">c</a>';
    const read = (page: string) => (page === 'index.html' ? planted : textOf(page));
    expect(deadLinks(pages, read).filter((link) => link.startsWith('index.html'))).toEqual([
      'index.html: nowhere.html',
      'index.html: #nothing',
    ]);
  });

  test('has every operation of each service', () => {
    for (const service of SERVICES) {
      const { paths } = JSON.parse(readText(`apps/${service}/openapi.json`)) as {
        paths: Record<string, Record<string, { operationId?: string }>>;
      };
      const html = textOf(`api/${service}.html`);
      const ids = Object.values(paths).flatMap((item) => Object.values(item).map((one) => one.operationId));
      expect(ids.filter((id) => id !== undefined && !html.includes(`<code>${id}</code>`))).toEqual([]);
    }
  });

  test('is searched by sections that lead somewhere', () => {
    const sections = JSON.parse(textOf('assets/search.json')) as {
      title: string;
      address: string;
      text: string;
    }[];
    const found = sections.find(({ title }) => title === 'ParleyQueueAge');
    expect(found).toMatchObject({ address: 'runbooks.html#parleyqueueage' });
    expect(found!.text).toContain('waits for more than a minute');
    for (const { address } of sections) expect(pages).toContain(address.split('#')[0]);
  });
});

test('HTML in a page is shown and not run', () => {
  const { html } = renderPage('# A\n\n<script>alert(1)</script>\n\nb <img src=x onerror=y>', (href) => href);
  expect(html).not.toMatch(/<script|<img/);
});

test('every bold word of the tutorial is on a screen of the console', () => {
  const files = readdirSync(join(root, 'apps/console/web'), { recursive: true, encoding: 'utf8' });
  const screens = files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .map((file) => readText(`apps/console/web/${file}`))
    .join('\n');
  const words = [...readText('docs/tutorial.md').matchAll(/\*\*([^*]+)\*\*/g)].map(([, word]) => word!);
  expect(words.length).toBeGreaterThan(15);
  expect(words.filter((word) => word !== 'bold' && !screens.includes(word.replace(/ \d+$/, '')))).toEqual([]);
});
