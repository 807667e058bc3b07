// The table `organization_settings`: set, list and unset.
import { notifyChanged, type Sql } from '@parley/server/postgres';
import { isSettingKey, settingKeys, type SettingKey, type SettingValue } from './setting-keys.ts';

/** NOTIFY channel; the payload is the organisation whose settings changed. */
export const SETTINGS_CHANGED = 'parley_organization_settings';

export interface StoredSetting {
  readonly key: SettingKey;
  readonly reference: string | null;
  readonly value: string | null;
  readonly updatedAt: Date;
}

/**
 * Stores a setting, replacing the old one. Every replica of the service applies it within a second.
 * @throws Error when the key does not exist, a secret is given by value, or the value is invalid.
 */
export async function setSetting(
  sql: Sql,
  organizationId: string,
  key: string,
  given: SettingValue,
  nowMs: number,
): Promise<void> {
  const known = knownKey(key);
  const { kind, schema } = settingKeys[known];
  const text = 'reference' in given ? given.reference : given.value;
  if (kind === 'secret' && !('reference' in given))
    throw new Error(
      `"${known}" is a secret: give a reference (env://, file:// or vault://), never the value`,
    );
  if (kind === 'value' && 'reference' in given) throw new Error(`"${known}" is not a secret: give its value`);
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new Error(`"${known}" ${parsed.error.issues[0]?.message ?? 'is not accepted'}`);
  await sql(
    `INSERT INTO organization_settings (organization_id, key, reference, value, updated_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organization_id, key) DO UPDATE
     SET reference = EXCLUDED.reference, value = EXCLUDED.value, updated_at = EXCLUDED.updated_at`,
    [organizationId, known, kind === 'secret' ? text : null, kind === 'value' ? text : null, new Date(nowMs)],
  );
  await notifyChanged(sql, SETTINGS_CHANGED, organizationId);
}

/** True when the setting existed. */
export async function unsetSetting(sql: Sql, organizationId: string, key: string): Promise<boolean> {
  const gone = await sql(
    'DELETE FROM organization_settings WHERE organization_id = $1 AND key = $2 RETURNING 1 AS one',
    [organizationId, knownKey(key)],
  );
  await notifyChanged(sql, SETTINGS_CHANGED, organizationId);
  return gone.length > 0;
}

/** All settings of an organisation, by key. Omits keys of a newer version. */
export async function listSettings(sql: Sql, organizationId: string): Promise<StoredSetting[]> {
  const rows = await sql<{ key: string; reference: string | null; value: string | null; updated_at: Date }>(
    'SELECT key, reference, value, updated_at FROM organization_settings WHERE organization_id = $1 ORDER BY key',
    [organizationId],
  );
  return rows.flatMap(({ key, reference, value, updated_at: updatedAt }) =>
    isSettingKey(key) ? [{ key, reference, value, updatedAt }] : [],
  );
}

function knownKey(key: string): SettingKey {
  if (!isSettingKey(key))
    throw new Error(`"${key}" is not a setting: ${Object.keys(settingKeys).join(', ')}`);
  return key;
}
