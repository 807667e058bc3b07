// Builds the documentation as a folder of static pages: every page of docs/ and what it leads to,
// the API references, and a search that runs in the browser.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SERVICES } from '@parley/server/runtime';
import { addressOf, collectPages, relativeAddress, resolveLink } from './collect-pages.ts';
import { describeApi, type ApiDocument } from './describe-api.ts';
import { layOut } from './lay-out.ts';
import { NAVIGATION } from './navigation.ts';
import { renderPage, type RenderedPage } from './render-page.ts';

export interface SiteSummary {
  readonly pages: number;
  readonly sections: number;
}

interface FoundSection {
  readonly page: string;
  readonly title: string;
  readonly address: string;
  readonly text: string;
}

export function buildSite(root: string, folder: string): SiteSummary {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const found: FoundSection[] = [];
  const files = new Set<string>();
  const write = (address: string, page: RenderedPage) => {
    const to = (place: string) => relativeAddress(address, place);
    mkdirSync(dirname(join(folder, address)), { recursive: true });
    writeFileSync(join(folder, address), layOut({ address, version, to, ...page }));
    for (const { title, anchor, text } of page.sections)
      found.push({ page: page.title, title, address: `${address}${anchor && `#${anchor}`}`, text });
  };
  const sources = collectPages(
    root,
    NAVIGATION.flatMap(({ pages }) => pages.map(([path]) => path)).filter((path) => path.endsWith('.md')),
  );
  for (const { path, text } of sources)
    write(
      addressOf(path),
      renderPage(text, (href) => resolveLink(root, path, href, files)),
    );
  for (const service of SERVICES) {
    const source = `apps/${service}/openapi.json`;
    files.add(source);
    const document = JSON.parse(readFileSync(join(root, source), 'utf8')) as ApiDocument;
    const resolve = (href: string) => (/^(?:#|https?:)/.test(href) ? href : undefined);
    write(`api/${service}.html`, renderPage(describeApi(document), resolve));
  }
  for (const path of files) {
    const place = join(folder, path.replace(/^docs\//, ''));
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(join(root, path), place);
  }
  cpSync(join(import.meta.dirname, 'assets'), join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'assets', 'search.json'), JSON.stringify(found));
  return { pages: sources.length + SERVICES.length, sections: found.length };
}
