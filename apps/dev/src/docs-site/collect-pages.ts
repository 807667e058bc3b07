// The Markdown files of the repository as pages of the site: where each is served, and how links
// between them change. Pages of docs/ are at the top.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

export interface SourcePage {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The address of a page on the site, without a leading slash. */
export function addressOf(path: string): string {
  const below = path.replace(/^docs\//, '').replace(/^\.github\//, '');
  if (path === 'README.md') return 'readme.html';
  return below.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/**
 * The address that a link of a page leads to on the site. Undefined: sources, which the site does
 * not have. Files that are no pages are added to `files`.
 */
export function resolveLink(
  root: string,
  page: string,
  href: string,
  files: Set<string>,
): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  if (target === '') return href;
  const path = posix.join(posix.dirname(page), target).replace(/\/$/, '');
  const place = pageAt(root, path);
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (place !== undefined) return relativeAddress(addressOf(page), addressOf(place)) + suffix;
  if (!/\.(?:png|svg|json|jsonl)$/.test(path)) return undefined;
  files.add(path);
  return relativeAddress(addressOf(page), path.replace(/^docs\//, ''));
}

/** The page of a file, or of a folder: its README. */
function pageAt(root: string, path: string): string | undefined {
  const full = join(root, path);
  if (!existsSync(full)) return undefined;
  if (!statSync(full).isDirectory()) return path.endsWith('.md') ? path : undefined;
  const readme = posix.join(path, 'README.md');
  return existsSync(join(root, readme)) ? readme : undefined;
}

export function relativeAddress(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** The pages, in the order of the navigation, and every page that they lead to. */
export function collectPages(root: string, first: readonly string[]): SourcePage[] {
  const found = new Map<string, SourcePage>();
  const waiting = [...first];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (found.has(path)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    found.set(path, { path, text });
    for (const [, target] of text.matchAll(/\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)/g)) {
      const place = pageAt(root, posix.join(posix.dirname(path), target!).replace(/\/$/, ''));
      if (place !== undefined) waiting.push(place);
    }
  }
  return [...found.values()];
}
