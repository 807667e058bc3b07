// Reads the files of a folder, for products that store a flow in several.
import { jsonPointer } from '@parley/envelopes';
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

/**
 * The document with its pointer, or each file of a folder with its own. A file that is neither JSON
 * nor YAML stands for itself by its name.
 */
export function listParts(source: Members): readonly { readonly pointer: string; readonly value: unknown }[] {
  if (!isMembers(source['files'])) return [{ pointer: '', value: source }];
  return Object.entries(source['files']).map(([path, content]) => {
    const readable = /\.(?:json|ya?ml)$/iu.test(path);
    const read = readable && typeof content === 'string' ? readText(content) : content;
    const value = readable && typeof read === 'object' && read !== null ? read : path;
    return { pointer: jsonPointer(['files', path]), value };
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
