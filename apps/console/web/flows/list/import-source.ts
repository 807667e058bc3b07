// Reads files for `POST /v1/flows/import` (docs/importers.md): one document, or a folder by paths.

/** The service accepts 5 MiB, and JSON inside JSON grows. */
const BYTES_MAX = 4 * 1024 * 1024;
/** Stops at a folder that is no agent, for example a home directory. */
const FILES_MAX = 2_000;
const READ = /\.(json|ya?ml)$/i;
const JSON_FILE = /\.json$/i;

export interface PickedFile {
  /** Path including the name of the folder. */
  readonly path: string;
  readonly file: File;
}

export interface ImportSource {
  /** Name of the file or folder. */
  readonly name: string;
  readonly source: Readonly<Record<string, unknown>>;
}

/** @throws Error with a message for the person. */
export async function sourceOf(picked: readonly PickedFile[]): Promise<ImportSource> {
  const files = picked.filter(({ path }) => READ.test(path));
  const [first] = files;
  if (first === undefined)
    throw new Error('There is no .json, .yml or .yaml file. Choose another file or folder.');
  if (files.length > FILES_MAX)
    throw new Error(`The folder has more than ${FILES_MAX} files. Choose the folder of one agent.`);
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > BYTES_MAX)
    throw new Error(`The files have ${(bytes / 1024 / 1024).toFixed(1)} MiB; the maximum is 4 MiB.`);
  const isOne = files.length === 1 && !first.path.includes('/');
  if (isOne && JSON_FILE.test(first.path)) {
    const source: unknown = parsed(await first.file.text());
    if (typeof source !== 'object' || source === null || Array.isArray(source))
      throw new Error(`${first.path} must contain a JSON object.`);
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

/** Removes the name of the folder. */
const inFolder = (path: string) => path.slice(path.indexOf('/') + 1);

/** The files of a file input. */
export const pickedFrom = (files: Iterable<File>): PickedFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** Dropped files, including those in folders. Entries are only readable before the first await. */
export async function pickedFromDrop(items: Iterable<DataTransferItem>): Promise<PickedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const picked: PickedFile[] = [];
  const open = entries;
  for (let entry = open.shift(); entry !== undefined; entry = open.shift()) {
    if (picked.length > FILES_MAX) break; // `sourceOf` reports it
    if (entry.isFile) {
      if (!READ.test(entry.name)) continue;
      const { file } = entry as FileSystemFileEntry;
      const opened = await new Promise<File>((resolve, reject) => file.call(entry, resolve, reject));
      picked.push({ path: entry.fullPath.replace(/^\//, ''), file: opened });
    } else open.push(...(await entriesIn(entry as FileSystemDirectoryEntry)));
  }
  return picked;
}

/** `readEntries` returns batches, and an empty one at the end. */
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
