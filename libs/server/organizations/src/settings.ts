// Reads an organisation's settings: cached while they are current, secrets resolved when they are
// used.
import { createNoticedCache, type Listener, type Sql } from '@parley/server/postgres';
import type { Clock, Secret, Secrets } from '@parley/server/runtime';
import { settingKeys, type SecretKey, type SettingKey, type ValueKey } from './setting-keys.ts';
import { listSettings, SETTINGS_CHANGED } from './stored-settings.ts';

/** Organisations with cached settings; a few hundred bytes each. */
const ORGANIZATIONS_MAX = 10_000;

export interface SettingsOptions {
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Defaults of the deployment: references of secrets, plain values. */
  readonly defaults: Readonly<Partial<Record<SettingKey, string | undefined>>>;
}

export interface Settings {
  /**
   * The secret or value of the organisation, else of the deployment; undefined when neither has it.
   * @throws SecretUnavailable when the reference cannot be resolved.
   */
  get(organizationId: string, key: SecretKey): Promise<Secret | undefined>;
  get(organizationId: string, key: ValueKey): Promise<string | undefined>;
  /**
   * The unresolved setting: the reference of a secret, or the value. Undefined when nothing is set.
   */
  stored(organizationId: string, key: SettingKey): Promise<string | undefined>;
  /**
   * Uses a secret. When its provider refuses it, drops the cached value (docs/platform.md#secrets)
   * and retries once if there is a new one. Undefined when none is set.
   * @throws SecretUnavailable
   */
  use<Result>(
    organizationId: string,
    key: SecretKey,
    work: (secret: Secret) => Promise<Result>,
    refused: (result: Result) => boolean,
  ): Promise<Result | undefined>;
}

export function createSettings({ sql, listener, clock, secrets, defaults }: SettingsOptions): Settings {
  const cache = createNoticedCache({
    listener,
    channel: SETTINGS_CHANGED,
    clock,
    entriesMax: ORGANIZATIONS_MAX,
    load: async (organizationId) => {
      const rows = await listSettings(sql, organizationId);
      return new Map(rows.map(({ key, reference, value }) => [key, reference ?? value ?? undefined]));
    },
  });

  async function stored(organizationId: string, key: SettingKey): Promise<string | undefined> {
    const current = cache.peek(organizationId) ?? (await cache.get(organizationId));
    return current.get(key) ?? defaults[key];
  }

  async function get(organizationId: string, key: SettingKey): Promise<Secret | string | undefined> {
    const found = await stored(organizationId, key);
    if (found === undefined) return undefined;
    return settingKeys[key].kind === 'secret' ? secrets.resolve(found) : found;
  }

  return {
    get: get as Settings['get'],
    stored,
    use: async (organizationId, key, work, refused) => {
      const reference = await stored(organizationId, key);
      if (reference === undefined) return undefined;
      const secret = await secrets.resolve(reference);
      const result = await work(secret);
      if (!refused(result)) return result;
      secrets.drop(reference);
      const now = await secrets.resolve(reference);
      return now.reveal() === secret.reveal() ? result : work(now);
    },
  };
}
