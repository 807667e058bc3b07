// The retention rules of an organisation and its bots, cached on every replica.
import {
  createNoticedCache,
  notifyChanged,
  type Listener,
  type NoticedCache,
  type Sql,
} from '@parley/server/postgres';
import type { Clock } from '@parley/server/runtime';
import { resolveRules, type EffectiveRules, type PartRules } from './parts.rules.ts';

const CHANNEL = 'parley_retention';
/** Organisations; most have a rule or two. */
const ORGANIZATIONS_MAX = 10_000;

export interface StoredRules {
  readonly parts: PartRules;
  readonly redactTranscripts: boolean | null;
  readonly recordingStoreId: string | null;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}

/** By bot; the empty id has those of the organisation. */
export type OrganizationRules = ReadonlyMap<string, StoredRules>;
export type RulesCache = NoticedCache<OrganizationRules>;

export function createRulesCache(options: {
  readonly listener: Listener;
  readonly clock: Clock;
  readonly sql: Sql;
}): RulesCache {
  return createNoticedCache({
    ...options,
    channel: CHANNEL,
    entriesMax: ORGANIZATIONS_MAX,
    load: (organizationId) => readRules(options.sql, organizationId),
  });
}

export async function readRules(sql: Sql, organizationId: string): Promise<OrganizationRules> {
  const rows = await sql<StoredRules & { botId: string }>(
    `SELECT bot_id AS "botId", parts, redact_transcripts AS "redactTranscripts",
       recording_store_id AS "recordingStoreId", updated_at AS "updatedAt",
       updated_by AS "updatedBy"
     FROM retention_rules WHERE organization_id = $1`,
    [organizationId],
  );
  return new Map(rows.map(({ botId, ...rules }) => [botId, rules]));
}

/** Call in the changing transaction, and `drop` the organisation after the commit. */
export const notifyRulesChanged = (sql: Sql, organizationId: string): Promise<void> =>
  notifyChanged(sql, CHANNEL, organizationId);

/** The rules for the conversations of a bot; null: of no bot. */
export function resolveRulesOfBot(
  rules: OrganizationRules,
  botId: string | null,
  installationDays: number,
): EffectiveRules {
  const organization = rules.get('')?.parts ?? {};
  const bot = (botId && rules.get(botId)?.parts) || {};
  return resolveRules({ organization, bot }, installationDays);
}
