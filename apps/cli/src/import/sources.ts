// Finds the documents of a folder. The folder of a Rasa or Dialogflow CX agent is one document.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { readText } from '@parley/importers';

const endings = ['.json', '.yml', '.yaml'];
/** More than any repository of flows has; bounds the walk through an unrelated folder. */
const FILES_MAX = 20_000;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const DEPTH_MAX = 12;
/** Files that mark a folder as one agent of Dialogflow CX or Rasa. */
const agentFiles: ReadonlySet<string> = new Set(['agent.json', 'domain.yml', 'domain.yaml', 'domain']);

export interface Source {
  readonly path: string;
  /** The argument of `importFlow`; undefined when it is neither JSON nor YAML. */
  readonly document: unknown;
}

/** A folder becomes one document with all its files. */
export async function readSource(path: string): Promise<Source> {
  if (!(await stat(path)).isDirectory()) return { path, document: readText(await readFile(path, 'utf8')) };
  const files: Record<string, string> = {};
  for await (const file of listFiles(path, 0)) files[relative(path, file)] = await readFile(file, 'utf8');
  return { path, document: { files } };
}

/** Every document in a folder and its subfolders. */
export async function* readSources(folder: string, depth = 0): AsyncGenerator<Source> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some(({ name }) => agentFiles.has(name))) {
    yield await readSource(folder);
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isReadable(entry.name) && entry.isFile()) yield await readSource(path);
    else if (entry.isDirectory() && !isHidden(entry.name) && depth < DEPTH_MAX)
      yield* readSources(path, depth + 1);
  }
}

async function* listFiles(folder: string, depth: number, count = { files: 0 }): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !isHidden(entry.name) && depth < DEPTH_MAX)
      yield* listFiles(path, depth + 1, count);
    if (!entry.isFile() || !isReadable(entry.name) || (await stat(path)).size > FILE_BYTES_MAX) continue;
    count.files += 1;
    if (count.files > FILES_MAX) return;
    yield path;
  }
}

const isReadable = (name: string): boolean =>
  endings.some((ending) => basename(name).toLowerCase().endsWith(ending));
const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';
