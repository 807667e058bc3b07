// Removes the parts of conversations whose retention is over (docs/voice-api.md#retention). A sweep
// reads the conversations of an organisation, oldest first, and compares what they have with the
// rules of now. So a changed rule, a call that is imported late or a hold that ends needs no job.
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Sql } from '@parley/server/postgres';
import {
  findDueParts,
  findYoungestCut,
  PARTS,
  type EffectiveRules,
  type Part,
} from '../../retention/parts.rules.ts';
import { readRules, resolveRulesOfBot, type OrganizationRules } from '../../retention/stored-rules.ts';
import type { Deps } from '../deps.ts';
import { removeOneOffBodies, removeParts } from './remove-parts.ts';

export const RETENTION_EVERY_MS = 5_000;
/** Conversations that a batch reads, and of which it removes parts. */
const READ_MAX = 1_000;
const CHANGED_MAX = 100;
/** Batches of a round, of all organisations in turn. */
const BATCHES_MAX = 100;
/** From the end of a sweep to the next one. */
const PAUSE_MS = 60 * 60_000;

type SweepDeps = Pick<Deps, 'pool' | 'sql' | 'clock' | 'outbox' | 'config' | 'log'>;

/** Returns the number of removed parts. Rests as long as it works. */
export async function sweepRetention(deps: SweepDeps): Promise<number> {
  if (deps.config.RETENTION_DAYS > 0) await enrolAll(deps);
  let removed = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const begunMs = performance.now();
    const count = await inTransaction(deps.pool, (sql) => sweepBatch(deps, sql));
    if (count === undefined) break;
    removed += count;
    await sleep(performance.now() - begunMs);
  }
  if (removed > 0) deps.log.info({ removed }, 'retention.removed');
  return removed;
}

/** Under a rule of the installation, organisations without rules are swept as well. */
async function enrolAll({ sql, clock }: SweepDeps): Promise<void> {
  await sql(
    `WITH RECURSIVE known AS (
       (SELECT organization_id AS id FROM conversations ORDER BY organization_id LIMIT 1)
       UNION ALL
       SELECT (SELECT organization_id FROM conversations WHERE organization_id > known.id
               ORDER BY organization_id LIMIT 1) FROM known WHERE known.id IS NOT NULL
     )
     INSERT INTO retention_sweeps (organization_id, next_at) SELECT id, $1::timestamptz FROM known WHERE id IS NOT NULL
     ON CONFLICT DO NOTHING`,
    [new Date(clock())],
  );
}

interface Sweep {
  readonly organizationId: string;
  readonly afterAt: Date | null;
  readonly afterId: string;
}

/** Of the organisation that waited longest. Undefined: none is due. */
async function sweepBatch(deps: SweepDeps, sql: Sql): Promise<number | undefined> {
  const nowMs = deps.clock();
  const [sweep] = await sql<Sweep>(
    `SELECT organization_id AS "organizationId", after_at AS "afterAt", after_id AS "afterId" FROM retention_sweeps
     WHERE next_at <= $1::timestamptz ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [new Date(nowMs)],
  );
  if (!sweep) return undefined;
  const rules = await readRules(sql, sweep.organizationId);
  const { due, last } = await readDue(deps, sql, sweep, rules, nowMs);
  const removed = await removeDue(deps, sql, sweep.organizationId, due);
  const oneOffs = await sweepOneOffs(deps, sql, sweep.organizationId, rules);
  const isOver = last === undefined && oneOffs < CHANGED_MAX;
  await sql(
    'UPDATE retention_sweeps SET after_at = $2, after_id = $3, next_at = $4 WHERE organization_id = $1',
    [sweep.organizationId, last?.at ?? null, last?.id ?? '', new Date(isOver ? nowMs + PAUSE_MS : nowMs + 1)],
  );
  return removed;
}

interface StoredRow {
  readonly id: string;
  readonly at: Date;
  readonly botId: string | null;
  readonly parts: Part[];
}

/** Conversations with due parts; `last`: where the next batch begins, undefined at the end. */
async function readDue(
  { config }: SweepDeps,
  sql: Sql,
  { organizationId, afterAt, afterId }: Sweep,
  rules: OrganizationRules,
  nowMs: number,
): Promise<{ due: Map<string, ReadonlyMap<Part, string>>; last: StoredRow | undefined }> {
  const resolve = (botId: string | null): EffectiveRules =>
    resolveRulesOfBot(rules, botId, config.RETENTION_DAYS);
  const cut = findYoungestCut([null, ...rules.keys()].map(resolve), nowMs);
  const due = new Map<string, ReadonlyMap<Part, string>>();
  if (cut === null) return { due, last: undefined };
  const rows = await sql<StoredRow>(READ, [organizationId, cut, afterAt, afterId]);
  for (const row of rows) {
    const parts = findDueParts({ ...row, isHeld: false }, resolve(row.botId), nowMs);
    if (parts.size === 0) continue;
    due.set(row.id, parts);
    if (due.size === CHANGED_MAX) return { due, last: row };
  }
  return { due, last: rows.length < READ_MAX ? undefined : rows.at(-1) };
}

const OF_CONVERSATION = 'organization_id = $1 AND conversation_id = conversation.id';
const HAS: Readonly<Record<Part, string>> = {
  transcript: `conversation.summary IS NOT NULL OR conversation.analysis IS NOT NULL
    OR EXISTS (SELECT 1 FROM turns WHERE ${OF_CONVERSATION})`,
  recorded_turns: `EXISTS (SELECT 1 FROM conversation_turns WHERE ${OF_CONVERSATION})`,
  recording: 'conversation.recording_url IS NOT NULL',
  raw_reports: `EXISTS (SELECT 1 FROM import_reports WHERE ${OF_CONVERSATION})`,
  delivery_bodies: `EXISTS (SELECT 1 FROM webhook_events WHERE ${OF_CONVERSATION})`,
};

/** The order and its expression are those of an index, verbatim. */
const READ = `
  SELECT conversation.id, coalesce(started_at, created_at) AS at, conversation.bot_id AS "botId",
    array_remove(ARRAY[${PARTS.map((part) => `CASE WHEN ${HAS[part]} THEN '${part}' END`).join(', ')}], NULL) AS parts
  FROM conversations AS conversation
  WHERE conversation.organization_id = $1 AND conversation.due_at IS NULL AND conversation.hold IS NULL
    AND coalesce(started_at, created_at) < $2::timestamptz
    AND ($3::timestamptz IS NULL OR (coalesce(started_at, created_at), conversation.id) > ($3::timestamptz, $4::text))
  ORDER BY coalesce(started_at, created_at), conversation.id LIMIT ${READ_MAX}`;

async function removeDue(
  deps: SweepDeps,
  sql: Sql,
  organizationId: string,
  due: ReadonlyMap<string, ReadonlyMap<Part, string>>,
): Promise<number> {
  if (due.size === 0) return 0;
  // The intake locks in the same order. A hold may have been set meanwhile.
  const rows = await sql<{ id: string }>(
    `SELECT id FROM conversations WHERE organization_id = $1 AND id = ANY($2::text[]) AND hold IS NULL AND due_at IS NULL
     ORDER BY id FOR UPDATE`,
    [organizationId, [...due.keys()]],
  );
  const locked = new Map(rows.map(({ id }) => [id, due.get(id)!]));
  return removeParts(deps, sql, organizationId, locked, new Date(deps.clock()));
}

/** Bodies that belong to no conversation follow the rule of the organisation. */
async function sweepOneOffs(
  { config, clock }: SweepDeps,
  sql: Sql,
  organizationId: string,
  rules: OrganizationRules,
): Promise<number> {
  const rule = resolveRulesOfBot(rules, null, config.RETENTION_DAYS).delivery_bodies;
  if (rule.set_by === 'installation' || rule.days === null) return 0;
  return removeOneOffBodies(sql, organizationId, new Date(clock() - rule.days * 86_400_000), CHANGED_MAX);
}
