// Prose reads plainly: Markdown, OpenAPI documents and texts of interfaces avoid the words of
// odd-words.mjs. eslint-words.mjs checks comments with the same list.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { marked, type Token, type Tokens } from 'marked';
import ts from 'typescript';
import { findOddWords } from '../odd-words.mjs';

const root = join(import.meta.dirname, '..');
const listFiles = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Texts without code. Columns named "not" list words to avoid. */
function readMarkdown(text: string): string[] {
  const visit = (tokens: readonly Token[]): string[] =>
    tokens.flatMap((token): string[] => {
      if (token.type === 'code' || token.type === 'codespan' || token.type === 'html') return [];
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        const isProse = header.map((cell) => cell.text !== 'not');
        return [header, ...rows].flatMap((row) =>
          row.flatMap((cell, index) => (isProse[index] ? visitBlock(cell.tokens) : [])),
        );
      }
      if (token.type === 'list') return (token as Tokens.List).items.flatMap((item) => visit(item.tokens));
      if ('tokens' in token && token.tokens) return visitBlock(token.tokens);
      return [token.raw];
    });
  /** A sentence may continue across links, emphasis and lines. */
  const visitBlock = (tokens: readonly Token[]): string[] => [visit(tokens).join('').replaceAll(/\s+/g, ' ')];
  return visit(marked.lexer(text));
}

/** Only the section of the next release. */
const readChangelog = (text: string): string[] => readMarkdown(text.split(/^## (?!Unreleased)/m)[0]!);

/** Every summary and description. */
function readOpenApi(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && /^(?:summary|description)$/.test(name) ? [member] : readOpenApi(member),
  );
}

/** Text between tags, and attributes with text. */
function readJsx(text: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) texts.push(node.text.replaceAll(/\s+/g, ' '));
    if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer))
      texts.push(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('x.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return texts;
}

const findIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => findOddWords(text).map((message) => `${message} ${text.slice(0, 120)}`));

describe('finds a planted word', () => {
  test.each([
    ['in a paragraph', readMarkdown, 'The worker\n*is* told.', 1],
    ['in a list and a table', readMarkdown, '- Somebody waits.\n\n| a |\n| - |\n| whoever |', 2],
    ['not in code', readMarkdown, '`somebody`\n\n```\nwhoever\n```', 0],
    ['not in a column of words to avoid', readMarkdown, '| term | not |\n| - | - |\n| job | rings the |', 0],
    ['in the changelog of the next release', readChangelog, '## Unreleased\n\nAnew.\n\n## 0.1\n\nAnew.', 1],
    ['in JSX', readJsx, 'const a = <p title="in hand">set aside {whatever}</p>;', 2],
  ])('%s', (_where, read, text, count) => {
    expect(findIn(read(text))).toHaveLength(count);
  });

  test('in a summary', () => {
    expect(findIn(readOpenApi({ paths: { a: { summary: 'Whoever', example: 'somebody' } } }))).toHaveLength(
      1,
    );
  });
});

test.each(listFiles('*.md'))('%s', (path) => {
  expect(findIn((path === 'CHANGELOG.md' ? readChangelog : readMarkdown)(readText(path)))).toEqual([]);
});

test.each(listFiles('apps/*/openapi.json'))('%s', (path) => {
  expect(findIn(readOpenApi(JSON.parse(readText(path))))).toEqual([]);
});

test.each(listFiles('apps/console/web/**/*.tsx', 'libs/{inbox,portal}/src/**/*.tsx'))('%s', (path) => {
  expect(findIn(readJsx(readText(path)))).toEqual([]);
});
