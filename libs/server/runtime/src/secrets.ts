// Resolves secret references: env://NAME, file:///path, vault://mount/path#key
// (docs/platform.md#secrets).
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import got from 'got';
import { LRUCache } from 'lru-cache';
import type { Environment } from './config.ts';
import type { Clock } from './clock.ts';
import { Secret } from './secret.ts';

/** An older value is fetched again. It still serves if the fetch fails. */
export const SECRET_SOFT_TTL_MS = 5 * 60_000;
/** An older value is not used any more. */
export const SECRET_HARD_TTL_MS = 60 * 60_000;
/**
 * After a failed fetch the old value serves this long without a retry: an outage must not slow
 * every use.
 */
export const SECRET_FETCH_AGAIN_MS = 10_000;
/** Maximum number of cached Vault values, least recently used ones go first. */
const SECRETS_CACHED_MAX = 10_000;
/** Vault is near the service; slower than this counts as down. */
const VAULT_TIMEOUT_MS = 5_000;
/** Vault limits an entry to 1 MiB; a longer answer is not Vault's. */
const VAULT_ANSWER_BYTES_MAX = 2 * 1024 * 1024;

export interface SecretsOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** KV v2 over HTTP. `token` is itself a reference (env:// or file://). */
  readonly vault?: { readonly url: string; readonly token: string } | undefined;
  /** Called when Vault is unreachable and an old value is served. */
  readonly onStale?: (reference: string, error: unknown) => void;
}

/** Thrown when a reference cannot be resolved. Names the reference, never a value. */
export class SecretUnavailable extends Error {
  constructor(reference: string, why: string, options?: ErrorOptions) {
    super(`secret ${reference} cannot be read: ${why}`, options);
    this.name = 'SecretUnavailable';
  }
}

export interface Secrets {
  /** @throws SecretUnavailable */
  resolve(reference: string): Promise<Secret>;
  /** Returns the value, or what it refers to: a server address may be either. */
  resolveUrl(value: Secret): Promise<Secret>;
  /** Drops a value that its provider refused (401, 403), so that a rotated one is fetched. */
  drop(reference: string): void;
}

/**
 * Parses a secret's text. A changed key file applies immediately; an unchanged one is parsed once.
 */
export function createSecretParser<T>(
  secrets: Pick<Secrets, 'resolve'>,
  reference: string,
  parse: (text: string) => T,
): () => Promise<T> {
  let known: { readonly text: string; readonly parsed: T } | undefined;
  return async () => {
    const text = (await secrets.resolve(reference)).reveal();
    if (known?.text !== text) known = { text, parsed: parse(text) };
    return known.parsed;
  };
}

interface CachedValue {
  readonly value: Secret;
  readonly fetchedAtMs: number;
  /** Served without a request to Vault until then. */
  readonly freshUntilMs: number;
}

export function createSecrets(options: SecretsOptions): Secrets {
  const vaultValues = new LRUCache<string, CachedValue>({ max: SECRETS_CACHED_MAX });
  const underway = new Map<string, Promise<Secret>>();
  const fileValues = new Map<string, { readonly version: string; readonly value: Secret }>();

  async function fromFile(reference: string): Promise<Secret> {
    try {
      const path = fileURLToPath(reference);
      // Kubernetes replaces a mounted secret by switching a link: the file behind the path changes.
      const { ino, mtimeMs, size } = await stat(path);
      const version = `${ino}/${mtimeMs}/${size}`;
      const kept = fileValues.get(path);
      if (kept?.version === version) return kept.value;
      const value = new Secret((await readFile(path, 'utf8')).trim());
      if (value.reveal() === '') throw new SecretUnavailable(reference, 'the file is empty');
      fileValues.set(path, { version, value });
      return value;
    } catch (error) {
      if (error instanceof SecretUnavailable) throw error;
      throw new SecretUnavailable(reference, 'the file cannot be read', { cause: error });
    }
  }

  function fromEnv(reference: string): Secret {
    const value = options.env[reference.slice('env://'.length)];
    if (value === undefined || value === '')
      throw new SecretUnavailable(reference, 'the variable is not set');
    return new Secret(value);
  }

  /** One request for a value at a time, however many callers wait for it. */
  function fetchOnce(reference: string): Promise<Secret> {
    const running = underway.get(reference);
    if (running) return running;
    // A dropped value may be older than the provider's change: it serves waiting callers and is not
    // cached.
    const isWanted = () => underway.get(reference) === fetched;
    const fetched = fetchFromVault(reference)
      .then((value) => {
        const nowMs = options.clock();
        if (isWanted()) {
          vaultValues.set(reference, { value, fetchedAtMs: nowMs, freshUntilMs: nowMs + SECRET_SOFT_TTL_MS });
        }
        return value;
      })
      .finally(() => {
        if (isWanted()) underway.delete(reference);
      });
    underway.set(reference, fetched);
    return fetched;
  }

  async function fetchFromVault(reference: string): Promise<Secret> {
    if (!options.vault) throw new SecretUnavailable(reference, 'VAULT_ADDR is not set');
    const { url, key } = vaultAddress(options.vault.url, reference);
    const token = await resolve(options.vault.token);
    const request = got(url, {
      headers: { 'x-vault-token': token.reveal() },
      timeout: { request: VAULT_TIMEOUT_MS },
      retry: { limit: 1 },
      followRedirect: false,
    });
    void request.on('downloadProgress', ({ transferred }) => {
      if (transferred > VAULT_ANSWER_BYTES_MAX) request.cancel();
    });
    const answer = await request
      .json<{ data?: { data?: Record<string, unknown> } }>()
      .catch((error: unknown) => {
        // The client's error carries the request and so the token: pass on only its class.
        throw new SecretUnavailable(reference, `Vault did not answer (${errorCode(error)})`);
      });
    const value = answer.data?.data?.[key];
    if (typeof value !== 'string') throw new SecretUnavailable(reference, `there is no text under "${key}"`);
    return new Secret(value);
  }

  async function fromVault(reference: string): Promise<Secret> {
    const kept = vaultValues.get(reference);
    if (kept && isUsable(kept) && options.clock() < kept.freshUntilMs) return kept.value;
    try {
      return await fetchOnce(reference);
    } catch (error) {
      const old = vaultValues.get(reference); // looked up again: it may have been dropped
      if (!old || !isUsable(old)) throw error;
      vaultValues.set(reference, { ...old, freshUntilMs: options.clock() + SECRET_FETCH_AGAIN_MS });
      options.onStale?.(reference, error);
      return old.value;
    }
  }

  function isUsable(kept: CachedValue): boolean {
    return options.clock() - kept.fetchedAtMs < SECRET_HARD_TTL_MS;
  }

  async function resolve(reference: string): Promise<Secret> {
    if (reference.startsWith('env://')) return fromEnv(reference);
    if (reference.startsWith('file://')) return fromFile(reference);
    if (reference.startsWith('vault://')) return fromVault(reference);
    throw new SecretUnavailable(
      '(not shown)',
      'it is not a reference: env://NAME, file:///path or vault://mount/path#key',
    );
  }

  return {
    resolve,
    resolveUrl: async (value) =>
      /^(env|file|vault):\/\//.test(value.reveal()) ? resolve(value.reveal()) : value,
    drop: (reference) => {
      vaultValues.delete(reference);
      underway.delete(reference);
    },
  };
}

function vaultAddress(base: string, reference: string): { url: string; key: string } {
  const [path = '', key = ''] = reference.slice('vault://'.length).split('#');
  const [mount = '', ...rest] = path.split('/');
  return {
    url: `${base.replace(/\/$/, '')}/v1/${mount}/data/${rest.map(encodeURIComponent).join('/')}`,
    key,
  };
}

function errorCode(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'unknown error';
}
