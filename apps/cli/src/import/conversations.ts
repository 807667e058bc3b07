// `parley import conversations`: sends stored reports of a vendor to the voice API, and applies
// those again that it has (docs/voice-api.md#imports). A file beside the reports lists what was
// accepted, so that a second start continues.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ApiError, type VoiceApi } from '@parley/sdk';
import { CommandError } from '../flows/folder.ts';

export const VENDORS = ['vapi', 'retell', 'elevenlabs', 'livekit'] as const;
export type Vendor = (typeof VENDORS)[number];

/** The voice API refuses larger bodies. */
const REPORT_BYTES_MAX = 8 * 1024 * 1024;
/** A JSON file is read as a whole; exports that are larger are JSON lines. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;
const PROGRESS_EVERY = 100;

export interface Backfill {
  readonly path: string;
  readonly vendor: Vendor;
  readonly botId?: string | undefined;
  /** Lists what was accepted. */
  readonly state: string;
  readonly print: (line: string) => void;
}

interface StoredReport {
  readonly place: string;
  readonly value: unknown;
}

/** Returns whether every report was accepted. */
export async function importConversations(voice: VoiceApi, backfill: Backfill): Promise<boolean> {
  const { path, vendor, botId, state, print } = backfill;
  const done = await readState(state);
  const counts = { accepted: 0, skipped: 0, ignored: 0, refused: 0 };
  const line = () => Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  for await (const { place, value } of readReports(path, state)) {
    const body = value as Record<string, never>;
    const text = JSON.stringify(body) ?? 'null';
    const digest = createHash('sha256')
      .update(`${vendor} ${botId ?? ''} ${text}`)
      .digest('hex');
    if (done.has(digest)) {
      counts.skipped += 1;
      continue;
    }
    try {
      if (Buffer.byteLength(text) > REPORT_BYTES_MAX)
        throw new CommandError(`the report has more than ${REPORT_BYTES_MAX} bytes`);
      const answer = await send(voice, vendor, botId, body);
      counts[answer.conversation_id === null ? 'ignored' : 'accepted'] += 1;
      if (answer.conversation_id === null) print(`${place}: ignored, it is a message "${answer.ignored}"`);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      counts.refused += 1;
      print(`${place}: ${error.message}`);
      continue;
    }
    done.add(digest);
    await appendFile(state, `${digest}\n`);
    if ((counts.accepted + counts.ignored) % PROGRESS_EVERY === 0) print(line().join(', '));
  }
  print(line().join(', '));
  return counts.refused === 0;
}

async function send(voice: VoiceApi, vendor: Vendor, botId: string | undefined, body: Record<string, never>) {
  const input = botId === undefined ? { body } : { body, bot_id: botId };
  switch (vendor) {
    case 'vapi':
      return voice.importVapiCall(input);
    case 'retell':
      return voice.importRetellCall(input);
    case 'elevenlabs':
      return voice.importElevenLabsCall(input);
    case 'livekit':
      return voice.importLiveKitCall(input);
  }
}

/** What is wrong with one report. Anything else, such as an outage, stops the command. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof CommandError) return true;
  return error instanceof ApiError && [400, 409, 413, 422].includes(error.status);
}

async function readState(file: string): Promise<Set<string>> {
  try {
    return new Set((await readFile(file, 'utf8')).split('\n').filter((line) => line !== ''));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return new Set();
  }
}

/** Reports of a file (a report, a list of them, or JSON lines) or of all files of a folder. */
async function* readReports(path: string, state: string): AsyncGenerator<StoredReport> {
  const found = await stat(path).catch(() => {
    throw new CommandError(`there is no file or folder ${path}`);
  });
  if (found.isDirectory()) {
    for (const name of (await readdir(path)).sort()) {
      const file = join(path, name);
      if (file !== state && /\.(json|jsonl|ndjson)$/.test(name)) yield* readReports(file, state);
    }
    return;
  }
  if (/\.(jsonl|ndjson)$/.test(path)) {
    let nth = 0;
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      nth += 1;
      if (line.trim() !== '') yield { place: `${path}:${nth}`, value: parse(line, `${path}:${nth}`) };
    }
    return;
  }
  if (found.size > FILE_BYTES_MAX)
    throw new CommandError(`${path} has more than ${FILE_BYTES_MAX} bytes: write one report a line (.jsonl)`);
  const value = parse(await readFile(path, 'utf8'), path);
  if (!Array.isArray(value)) {
    yield { place: path, value };
    return;
  }
  for (const [index, one] of value.entries()) yield { place: `${path}#${index}`, value: one as unknown };
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandError(`${place} is not JSON`);
  }
}

/** Applies the reports that the voice API has stored. Returns whether all could be applied. */
export async function reimportConversations(
  voice: VoiceApi,
  vendor: Vendor | undefined,
  print: (line: string) => void,
): Promise<boolean> {
  const counts = { conversations: 0, changed: 0, failed: 0 };
  let cursor: string | null = null;
  do {
    const body = { ...(vendor ? { source: vendor } : {}), ...(cursor === null ? {} : { cursor }) };
    const answer: Awaited<ReturnType<VoiceApi['reimportConversations']>> = await voice.reimportConversations({
      body,
    });
    counts.conversations += answer.conversations;
    counts.changed += answer.changed;
    counts.failed += answer.failed.length;
    for (const { conversation_id, message } of answer.failed) print(`${conversation_id}: ${message}`);
    cursor = answer.next_cursor;
    print(`${counts.conversations} conversations, ${counts.changed} changed, ${counts.failed} failed`);
  } while (cursor !== null);
  return counts.failed === 0;
}
