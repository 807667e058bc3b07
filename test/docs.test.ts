// The documentation holds together: every relative link in a Markdown file leads to a file and,
// with an anchor, to a heading of it; every page that a comment cites exists; and a comment cites
// nothing that is not in this repository.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from '@jest/globals';
import GithubSlugger from 'github-slugger';
import { marked, type Token } from 'marked';

const root = join(import.meta.dirname, '..');

/** With new ones that are not added yet, without those that git ignores. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

const pages = files.filter((path) => path.endsWith('.md'));
const sources = files.filter((path) => /\.(ts|mts|mjs|js|yaml|yml|prisma|sh)$|^docker\//.test(path));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Page {
  readonly links: readonly string[];
  /** Without the #. */
  readonly anchors: ReadonlySet<string>;
}

const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : token.raw)).join('');

function readPage(path: string): Page {
  const slugger = new GithubSlugger();
  const links: string[] = [];
  const anchors = new Set<string>();
  void marked.walkTokens(marked.lexer(textOf(path)), (token) => {
    if (token.type === 'link' || token.type === 'image') links.push((token as { href: string }).href);
    if (token.type === 'heading') anchors.add(slugger.slug(plainText(token.tokens ?? [])));
  });
  return { links, anchors };
}

const known = new Map(pages.map((path) => [path, readPage(path)]));

/** What is wrong with `path#anchor`, a path from the root; undefined when it leads somewhere. */
function problemOf(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(root, path))) return 'no such file';
  if (!anchor || !path.endsWith('.md')) return undefined;
  return known.get(path)?.anchors.has(anchor) ? undefined : 'no such heading';
}

test.each(pages)('%s: its links lead somewhere', (path) => {
  const broken = known
    .get(path)!
    .links.filter((href) => !/^[a-z][a-z0-9+.-]*:/i.test(href))
    .flatMap((href) => {
      const [target = '', anchor] = href.split('#');
      const problem = problemOf(target === '' ? path : posix.join(posix.dirname(path), target), anchor);
      return problem === undefined ? [] : [`${href}: ${problem}`];
    });
  expect(broken).toEqual([]);
});

/** `path:line: <line>` of every line for which `wrong` gives a reason. */
function wrongLines(paths: readonly string[], wrong: (line: string) => readonly string[]): string[] {
  return paths.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) => wrong(line).map((reason) => `${path}:${index + 1}: ${reason}`)),
  );
}

test('every page that a comment cites exists', () => {
  const broken = wrongLines(sources, (line) =>
    [...line.matchAll(/\bdocs\/[a-z-]+\.md(?:#([a-z0-9-]+))?/g)].flatMap(([cited, anchor]) => {
      const problem = problemOf(cited.split('#')[0]!, anchor);
      return problem === undefined ? [] : [`${cited}: ${problem}`];
    }),
  );
  expect(broken).toEqual([]);
});

/** A paragraph is one of a public standard, which the line names. */
const PUBLIC_STANDARD = /RFC \d|HTML standard|Trace Context|NIST/;
/**
 * Sources that the project was made from and that no reader has. The runs of apps/e2e have a seed
 * of their own.
 */
const ELSEWHERE =
  /\(spec\b|\bspec (?:§|platform|flow-builder|voice-api|notifications)|\(seed\b|\bseed[:,] [A-Z]|\bthe (?:\w+ )?seed\b|\bresearch\b|\btoolchain\b/;
const COMMENT = /^\s*(?:\/?\*|#|\/\/)|\s\/\/ /;

test('no comment cites what is not in this repository', () => {
  const broken = wrongLines(sources, (line) => {
    if (!COMMENT.test(line)) return [];
    if (line.includes('§') && !PUBLIC_STANDARD.test(line)) return ['a paragraph of what?'];
    return ELSEWHERE.test(line) ? [line.trim()] : [];
  });
  expect(broken.filter((place) => !place.startsWith('apps/e2e/'))).toEqual([]);
});
