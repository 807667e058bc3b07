// Reads the files of a folder, for products that store a flow in several.
import { parse } from 'yaml';
import { isMembers, toMembers, type Members } from './source.ts';

export interface SourceFile {
  readonly path: string;
  readonly content: Members;
}

/** Sorted by path. Unreadable files are skipped. */
export function listFiles(source: Members, endings: readonly string[]): readonly SourceFile[] {
  const files = Object.entries(toMembers(source['files'])).sort(([a], [b]) => (a < b ? -1 : 1));
  return files.flatMap(([path, content]) => {
    if (!endings.some((ending) => path.toLowerCase().endsWith(ending))) return [];
    const read = typeof content === 'string' ? readText(content) : content;
    return isMembers(read) ? [{ path, content: read }] : [];
  });
}

/** JSON is valid YAML, but JSON.parse is much faster. */
export function readText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return parse(text, { logLevel: 'silent' });
    } catch {
      return undefined;
    }
  }
}
