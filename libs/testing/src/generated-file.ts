// A file that is generated from the code. A test compares it; `npm run docs` writes it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, type URL } from 'node:url';

/** The text of the file. With UPDATE_DOCS=true it is written first. */
export function generatedFile(file: URL, expected: string): string {
  if (process.env['UPDATE_DOCS'] === 'true') {
    mkdirSync(dirname(fileURLToPath(file)), { recursive: true });
    writeFileSync(file, expected);
  }
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
