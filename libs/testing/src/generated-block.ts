// Tables in a README that are generated from the code. A test compares them; `npm run docs` writes
// them.
import { readFileSync, writeFileSync } from 'node:fs';
import type { URL } from 'node:url';

/**
 * The text between `<!-- generated: name -->` and `<!-- end -->` in a Markdown file, with the
 * expected text. With UPDATE_DOCS=true the file is rewritten first.
 * @throws Error when the file has no such block.
 */
export function generatedBlock(
  file: URL,
  name: string,
  expected: string,
): { actual: string; expected: string } {
  const text = readFileSync(file, 'utf8');
  // a new block is empty
  const block = new RegExp(`(<!-- generated: ${name} -->\\n)([\\s\\S]*?)\\n?<!-- end -->`);
  const found = block.exec(text);
  if (!found) throw new Error(`${file.pathname} has no block <!-- generated: ${name} -->`);
  if (process.env['UPDATE_DOCS'] === 'true') {
    writeFileSync(
      file,
      text.replace(block, (_whole, begin: string) => `${begin}${expected}\n<!-- end -->`),
    );
    return { actual: expected, expected };
  }
  return { actual: found[2]!, expected };
}

/** A Markdown table. Bars in cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
