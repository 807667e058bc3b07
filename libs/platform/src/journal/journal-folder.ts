// The files of a journal: one for each month, one JSON object a line, only ever appended to.
// Outside of the database, so that a restore cannot take them back (docs/recovery.md#the-journal).
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const journalEntry = z.object({
  id: z.string(),
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  kind: z.string(),
  organization_id: z.string(),
  /** An id or a digest. */
  subject: z.string(),
  /** Never content: instants, reasons, ids of categories. */
  detail: z.record(z.string(), z.unknown()),
});
export type JournalEntry = z.output<typeof journalEntry>;

/** Each service has a folder of its own below JOURNAL_DIR. */
export const locateJournal = (journals: string, service: string) => join(journals, service);

/** Longer than any line: details hold ids only. */
const TAIL_BYTES = 256 * 1024;
const MODE = 0o600;

/** Returns when the entries are on the disk. */
export async function appendEntries(folder: string, entries: readonly JournalEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await mkdir(folder, { recursive: true });
  const month = entries[0]!.at.slice(0, 'YYYY-MM'.length);
  const newest = (await listFiles(folder)).at(-1) ?? '';
  // A file never follows a later one, or the last line of the last file would not be the newest.
  const name = `${month}.jsonl` < newest ? newest : `${month}.jsonl`;
  const file = await open(join(folder, name), 'a', MODE);
  try {
    // The empty first line ends one that a crash cut off; its entry is appended again.
    await file.write(`\n${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  const directory = await open(folder, 'r');
  try {
    await directory.sync(); // the name of a new file is on the disk too
  } finally {
    await directory.close();
  }
}

/** Undefined for an empty journal. @throws Error when the folder cannot be read */
export async function readLastEntry(folder: string): Promise<JournalEntry | undefined> {
  for (const name of (await listFiles(folder)).reverse()) {
    const file = await open(join(folder, name), 'r');
    try {
      const { size } = await file.stat();
      const length = Math.min(size, TAIL_BYTES);
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
      const last = parseLines(buffer.toString('utf8')).at(-1);
      if (last) return last;
    } finally {
      await file.close();
    }
  }
  return undefined;
}

/** Oldest file first, one file in memory. */
export async function* readEntries(folder: string): AsyncGenerator<JournalEntry[]> {
  for (const name of await listFiles(folder)) yield parseLines(await readFile(join(folder, name), 'utf8'));
}

/** Lines that a crash cut off are none. */
function parseLines(text: string): JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      return [journalEntry.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^\d{4}-\d\d\.jsonl$/.test(name)).sort();
}
