// Secrets that a development stack makes for itself and keeps. Called by startStack.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** References to the keyrings of a stack, as services take them in DATA_KEY and QUEUE_KEY (platform §6). */
export interface KeyReferences {
  readonly dataKey: string;
  readonly queueKey: string;
}

/**
 * Makes `<home>/secrets/data-key` and `queue-key` where they are absent: `k1:<base64 of 32 bytes>`, readable by
 * their owner only.
 */
export function keepKeyrings(home: string): KeyReferences {
  return { dataKey: keepKeyring(home, 'data-key'), queueKey: keepKeyring(home, 'queue-key') };
}

function keepKeyring(home: string, name: string): string {
  const path = join(home, 'secrets', name);
  if (!existsSync(path)) writePrivately(path, `k1:${randomBytes(32).toString('base64')}\n`);
  return pathToFileURL(path).href;
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The JSON in a file, or null when there is no such file. */
export function readJson<T>(path: string): T | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
}
