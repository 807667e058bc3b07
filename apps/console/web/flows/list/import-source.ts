// Files of another product as `POST /v1/flows/import` takes them (docs/importers.md): one document, or a folder by its paths.

/** The service takes 5 MiB; JSON in JSON grows. */
const BYTES_MAX = 4 * 1024 * 1024;
/** More than an agent in a folder has; a home directory is not read for ever. */
const FILES_MAX = 2_000;
const READ = /\.(json|ya?ml)$/i;
const JSON_FILE = /\.json$/i;

export interface PickedFile {
  /** As in its folder, with the folder's own name. */
  readonly path: string;
  readonly file: File;
}

export interface ImportSource {
  /** What the file or the folder is called. */
  readonly name: string;
  readonly source: Readonly<Record<string, unknown>>;
}

/** @throws Error with what a person is told. */
export async function sourceOf(picked: readonly PickedFile[]): Promise<ImportSource> {
  const files = picked.filter(({ path }) => READ.test(path));
  const [first] = files;
  if (first === undefined) throw new Error('There is no .json, .yml or .yaml file in it.');
  if (files.length > FILES_MAX) throw new Error(`More than ${FILES_MAX} files are not read at once.`);
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > BYTES_MAX)
    throw new Error(`These are ${(bytes / 1024 / 1024).toFixed(1)} MiB; up to 4 are read.`);
  const isOne = files.length === 1 && !first.path.includes('/');
  if (isOne && JSON_FILE.test(first.path)) {
    const source: unknown = parsed(await first.file.text());
    if (typeof source !== 'object' || source === null || Array.isArray(source))
      throw new Error(`${first.path} is no JSON object.`);
    return { name: first.path.replace(READ, ''), source: source as Record<string, unknown> };
  }
  const entries = await Promise.all(
    files.map(async ({ path, file }) => [isOne ? path : inFolder(path), await file.text()] as const),
  );
  const name = isOne ? first.path.replace(READ, '') : (first.path.split('/')[0] ?? '').replace(READ, '');
  return { name, source: { files: Object.fromEntries(entries) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The folder's own name says nothing of what is in it. */
const inFolder = (path: string) => path.slice(path.indexOf('/') + 1);

/** What a file input holds: files, or those of a folder. */
export const pickedFrom = (files: Iterable<File>): PickedFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** What was dropped, folders with what is in them. The entries must be asked for before anything is waited for. */
export async function pickedFromDrop(items: Iterable<DataTransferItem>): Promise<PickedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const picked: PickedFile[] = [];
  const open = entries;
  for (let entry = open.shift(); entry !== undefined; entry = open.shift()) {
    if (picked.length > FILES_MAX) break; // `sourceOf` says so
    if (entry.isFile) {
      if (!READ.test(entry.name)) continue;
      const { file } = entry as FileSystemFileEntry;
      const opened = await new Promise<File>((resolve, reject) => file.call(entry, resolve, reject));
      picked.push({ path: entry.fullPath.replace(/^\//, ''), file: opened });
    } else open.push(...(await entriesIn(entry as FileSystemDirectoryEntry)));
  }
  return picked;
}

/** A reader answers a part at a time, and at the end nothing. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0 || all.length > FILES_MAX) return all;
    all.push(...part);
  }
}
