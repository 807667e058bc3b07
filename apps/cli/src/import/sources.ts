// What lies in a folder that a flow may be read from: documents, and folders that are one document.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { readText } from '@parley/importers';

const endings = ['.json', '.yml', '.yaml'];
/** More than a repository of flows has; a folder of other things is not read for ever. */
const FILES_MAX = 20_000;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const DEPTH_MAX = 12;
/** What says that a folder is one agent of Dialogflow CX, or of Rasa. */
const marks: ReadonlySet<string> = new Set(['agent.json', 'domain.yml', 'domain.yaml', 'domain']);

export interface Source {
  readonly path: string;
  /** As `importFlow` takes it; undefined = neither JSON nor YAML. */
  readonly document: unknown;
}

/** A file is a document; a folder is one too, as its files. */
export async function sourceAt(path: string): Promise<Source> {
  if (!(await stat(path)).isDirectory()) return { path, document: readText(await readFile(path, 'utf8')) };
  const files: Record<string, string> = {};
  for await (const file of filesIn(path, 0)) files[relative(path, file)] = await readFile(file, 'utf8');
  return { path, document: { files } };
}

/** Every document in a folder and below. */
export async function* sourcesIn(folder: string, depth = 0): AsyncGenerator<Source> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some(({ name }) => marks.has(name))) {
    yield await sourceAt(folder);
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isRead(entry.name) && entry.isFile()) yield await sourceAt(path);
    else if (entry.isDirectory() && !isHidden(entry.name) && depth < DEPTH_MAX)
      yield* sourcesIn(path, depth + 1);
  }
}

async function* filesIn(folder: string, depth: number, count = { files: 0 }): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !isHidden(entry.name) && depth < DEPTH_MAX)
      yield* filesIn(path, depth + 1, count);
    if (!entry.isFile() || !isRead(entry.name) || (await stat(path)).size > FILE_BYTES_MAX) continue;
    count.files += 1;
    if (count.files > FILES_MAX) return;
    yield path;
  }
}

const isRead = (name: string): boolean =>
  endings.some((ending) => basename(name).toLowerCase().endsWith(ending));
const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';
