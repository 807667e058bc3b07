// GET and PUT /v1/retention and /v1/bots/{bot_id}/retention (docs/voice-api.md#retention).
import { AppError, voiceApiDialect } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import { resolveRedaction } from './redaction.ts';
import { readStorage, requireReachable, saveStore } from './recording-storage.ts';
import type { RetentionChange } from './schemas.ts';
import { notifyRulesChanged, readRules, resolveRulesOfBot } from './stored-rules.ts';

/** Null: the rules of the organisation. */
type BotId = string | null;

/** @throws AppError not_found */
export async function getRetention(
  { sql, config }: Pick<Deps, 'sql' | 'config'>,
  { organizationId }: Caller,
  botId: BotId,
) {
  await requireBot(sql, organizationId, botId);
  const rules = await readRules(sql, organizationId);
  const own = rules.get(botId ?? '');
  const storage = await readStorage(sql, own?.recordingStoreId);
  return {
    bot_id: botId,
    ...own?.parts,
    ...(own && own.redactTranscripts !== null ? { redact_transcripts: own.redactTranscripts } : {}),
    ...(storage === undefined ? {} : { recording_storage: storage }),
    effective: {
      ...resolveRulesOfBot(rules, botId, config.RETENTION_DAYS),
      redact_transcripts: resolveRedaction(rules, false).hides(botId),
    },
    updated_at: own ? voiceApiDialect.time(own.updatedAt) : null,
    updated_by: own?.updatedBy ?? null,
  };
}

/** @throws AppError not_found */
export async function setRetention(
  deps: Pick<Deps, 'sql' | 'transact' | 'config' | 'clock' | 'ids' | 'retentionRules' | 'outbound'>,
  caller: Caller,
  botId: BotId,
  change: RetentionChange,
) {
  const { redact_transcripts: redactTranscripts = null, recording_storage: storage, ...parts } = change;
  if (storage) requireReachable(deps.outbound, storage);
  const { organizationId } = caller;
  const now = new Date(deps.clock());
  await deps.transact(async (sql) => {
    await requireBot(sql, organizationId, botId);
    const place = { organizationId, botId: botId ?? '' };
    const storeId = await saveStore(sql, place, storage, { newId: deps.ids('rst'), now });
    await sql(
      `INSERT INTO retention_rules
         (organization_id, bot_id, parts, updated_at, updated_by, redact_transcripts, recording_store_id)
       VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7)
       ON CONFLICT (organization_id, bot_id) DO UPDATE
       SET parts = excluded.parts, updated_at = excluded.updated_at, updated_by = excluded.updated_by,
         redact_transcripts = excluded.redact_transcripts, recording_store_id = excluded.recording_store_id`,
      [organizationId, place.botId, JSON.stringify(parts), now, caller.principal, redactTranscripts, storeId],
    );
    await startSweep(sql, organizationId, now);
    await audit(sql, deps, caller, {
      action: 'retention.changed',
      target: botId ?? organizationId,
      details: change,
    });
    await notifyRulesChanged(sql, organizationId);
  });
  deps.retentionRules.drop(organizationId);
  return getRetention(deps, caller, botId);
}

/** From the oldest conversation again: rules may be stricter now. */
async function startSweep(sql: Sql, organizationId: string, now: Date): Promise<void> {
  await sql(
    `INSERT INTO retention_sweeps (organization_id, next_at) VALUES ($1, $2)
     ON CONFLICT (organization_id) DO UPDATE SET after_at = NULL, after_id = '', next_at = excluded.next_at`,
    [organizationId, now],
  );
}

async function requireBot(sql: Sql, organizationId: string, botId: BotId): Promise<void> {
  if (botId === null) return;
  const [bot] = await sql('SELECT 1 AS one FROM bots WHERE organization_id = $1 AND id = $2', [
    organizationId,
    botId,
  ]);
  if (!bot) throw new AppError('not_found', `There is no bot "${botId}".`);
}
