// Products that keep a flow in a folder: its files by their paths.
import { parse } from 'yaml';
import { isMembers, membersOf, type Members } from './source.ts';

export interface SourceFile {
  readonly path: string;
  readonly content: Members;
}

/** The files of `{files: {<path>: <text or object>}}`, in the order of their paths. What cannot be read is left out. */
export function filesOf(source: Members, endings: readonly string[]): readonly SourceFile[] {
  const files = Object.entries(membersOf(source['files'])).sort(([a], [b]) => (a < b ? -1 : 1));
  return files.flatMap(([path, content]) => {
    if (!endings.some((ending) => path.toLowerCase().endsWith(ending))) return [];
    const read = typeof content === 'string' ? readText(content) : content;
    return isMembers(read) ? [{ path, content: read }] : [];
  });
}

/** JSON is YAML too, and is read as JSON where it can be: that is faster by far. */
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
