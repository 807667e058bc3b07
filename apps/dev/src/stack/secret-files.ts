// Secrets that a development stack makes for itself and keeps.
import { createECDH, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { forEachService, SERVICES, type ServiceName } from './services.ts';

/**
 * References to the keyrings of a stack, as services take them in DATA_KEY, QUEUE_KEY,
 * MESSAGE_KEYS, VAPID_KEYS and IDENTITY_SHARED_SECRET, the console in CONSOLE_KEY
 * (docs/platform.md#secrets).
 */
export interface KeyReferences {
  readonly dataKey: string;
  readonly queueKey: string;
  readonly messageKeys: Readonly<Record<ServiceName, string>>;
  readonly vapidKeys: string;
  readonly consoleKey: string;
  readonly identitySecret: string;
}

/**
 * Makes `<home>/secrets/data-key`, `queue-key`, `console-key`, `message-keys-<service>` and
 * `vapid-keys` where they are absent, with one key each under the id `k1`, and `identity-secret`.
 * Only their owner may read them.
 */
export function keepKeyrings(home: string): KeyReferences {
  const sealing = () => `k1:${randomBytes(32).toString('base64')}\n`;
  return {
    dataKey: keepSecret(home, 'data-key', sealing),
    queueKey: keepSecret(home, 'queue-key', sealing),
    consoleKey: keepSecret(home, 'console-key', sealing),
    messageKeys: keepMessageKeys(home),
    vapidKeys: keepSecret(home, 'vapid-keys', () => `k1:${newVapidKey()}\n`),
    identitySecret: keepSecret(home, 'identity-secret', () => randomBytes(32).toString('base64url')),
  };
}

/**
 * A key for every two of the services, each in the files of these two alone. New ones lose nothing:
 * jobs are signed when they ring.
 */
function keepMessageKeys(home: string): Record<ServiceName, string> {
  const keys = new Map<string, string>();
  const keyOf = (...pair: ServiceName[]): string => {
    const name = pair.sort().join(' ');
    const key = keys.get(name) ?? `k1:${randomBytes(32).toString('base64')}`;
    keys.set(name, key);
    return key;
  };
  const paths = forEachService(SERVICES, (name) => join(home, 'secrets', `message-keys-${name}`));
  const whole = SERVICES.every((name) => existsSync(paths[name]));
  return forEachService(SERVICES, (name) => {
    const peers = SERVICES.filter((peer) => peer !== name);
    if (!whole) writePrivately(paths[name], peers.map((peer) => `${peer}=${keyOf(name, peer)}\n`).join(''));
    return pathToFileURL(paths[name]).href;
  });
}

/** A reference to the secret `name` of this stack, which `make` makes where it is absent. */
function keepSecret(home: string, name: string, make: () => string): string {
  const path = join(home, 'secrets', name);
  if (!existsSync(path)) writePrivately(path, make());
  return pathToFileURL(path).href;
}

/** A private key on P-256 as VAPID takes it (RFC 8292 §3.2): its 32 bytes in base64url. */
function newVapidKey(): string {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
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
