// POST /v1/conversations/import/{vendor}: turns a vendor's reports of a call into a conversation
// (docs/voice-api.md#imports).
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { AppError, type FieldProblem } from '@parley/envelopes';
import { parsePart, findRefusedJson, type BodyDoubts, type Caller } from '@parley/server/http';
import type { Trace } from '@parley/jobs';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { changeConversations } from '../conversations/changes/update-conversations.ts';
import { conversationUpdate } from '../conversations/changes/schemas.ts';
import { wellFormed } from '../conversation-model/parse-events.ts';
import { applyBatch, completeBatch, type AppliedBatch } from '../conversations/accept-events.ts';
import { forgetReported } from '../conversations/forget-reported.ts';
import type { Deps } from './deps.ts';
import { elevenlabs } from './elevenlabs.rules.ts';
import { livekit } from './livekit.rules.ts';
import {
  lockImport,
  readApplied,
  readReports,
  storeReport,
  writeApplied,
  type Applied,
  type AppliedItem,
  type ImportedCall,
  type RawReport,
} from './raw-reports.ts';
import { mergeReports, toEvents, TURNS_MAX, type Importer, type Report } from './report.rules.ts';
import { retell } from './retell.rules.ts';
import type { Source } from './sources.ts';
import { vapi } from './vapi.rules.ts';

const IMPORTERS: Readonly<Record<Source, Importer>> = { vapi, retell, elevenlabs, livekit };

export interface ImportRequest {
  readonly source: Source;
  readonly body: unknown;
  readonly doubts: BodyDoubts;
  readonly botId: string | undefined;
}

/**
 * Stores the report and applies all reports of its call in one transaction.
 * @throws AppError invalid_request, unprocessable, conversation_deleted, bot_not_of_key
 */
export async function importReport(
  deps: Deps,
  caller: Caller,
  { source, body, doubts, botId }: ImportRequest,
  trace: Trace,
) {
  const importer = IMPORTERS[source];
  const imported = importer.read(parseReport(importer, body, doubts) as never);
  if ('ignored' in imported) return { conversation_id: null, ignored: imported.ignored.slice(0, 128) };
  const { organizationId } = caller;
  const call: ImportedCall = { organizationId, conversationId: imported.report.conversationId, source };
  const raw = { body: JSON.stringify(body), botId: botId ?? null, receivedAt: new Date(deps.clock()) };
  return (await applyReports(deps, caller, call, trace, raw)).answer;
}

/**
 * Reads all reports of a call again and applies what they say now.
 * @param added a report that arrived
 */
export async function applyReports(
  deps: Deps,
  caller: Caller,
  call: ImportedCall,
  trace: Trace,
  added?: RawReport,
) {
  const { batch, skipped, refused, isChanged } = await inTransaction(deps.pool, async (sql) => {
    await lockImport(sql, call);
    if (added) await storeReport(deps, sql, call, added);
    return applyStored(deps, sql, caller, call, trace);
  });
  const result = completeBatch(deps, batch);
  return {
    answer: { conversation_id: call.conversationId, ...result, left_out: skipped, refused },
    isChanged,
  };
}

async function applyStored(deps: Deps, sql: Sql, caller: Caller, call: ImportedCall, trace: Trace) {
  const raws = await readReports(deps, sql, call);
  const { report, receivedMs } = mergeStored(IMPORTERS[call.source], raws);
  const before = await readApplied(sql, call);
  const applied: Record<string, AppliedItem> = {};
  const versionOf = (name: string, content: unknown) => {
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
    const known = before[name];
    const version = known === undefined ? 0 : known.hash === hash ? known.version : known.version + 1;
    applied[name] = { hash, version };
    return version;
  };
  const prefix = `${call.source}:${call.conversationId}:`;
  const events = toEvents(report, receivedMs).map(({ name, type, at, data }) => {
    const version = versionOf(name, [type, at, data, report.botId]);
    return {
      id: `${prefix}${name}${version === 0 ? '' : `~${version}`}`,
      type,
      conversation_id: call.conversationId,
      bot_id: report.botId,
      occurred_at: new Date(at).toISOString(),
      data,
    };
  });
  const keep = events.map(({ id }) => id);
  await forgetReported(sql, { ...call, prefix, keep, knowsEnd: report.end !== null });
  const batch = await applyBatch(deps, caller, events, trace, { sql });
  requireAccepted(call, batch, events.length);
  const { storable, refused } = selectStorable(report.changes, (name, value) => {
    const known = before[name]?.version;
    return versionOf(name, value) !== known;
  });
  const hasChanges = Object.keys(storable).length > 0;
  if (hasChanges)
    await changeConversations(sql, caller, [call.conversationId], storable, new Date(deps.clock()));
  await writeApplied(sql, call, applied satisfies Applied);
  const skipped = report.skipped + Math.max(0, report.turns.length - TURNS_MAX);
  return { batch, skipped, refused, isChanged: hasChanges || batch.counts.accepted > 0 };
}

const NO_DOUBTS: BodyDoubts = { mayBeRefused: true, lost: [] };

/** @throws AppError unprocessable: none of the stored reports can be read any more */
function mergeStored(importer: Importer, raws: readonly RawReport[]) {
  const reports = raws.flatMap(({ body, botId }): Report[] => {
    const imported = importer.read(parseReport(importer, JSON.parse(body), NO_DOUBTS) as never);
    return 'report' in imported ? [{ ...imported.report, botId: botId ?? imported.report.botId }] : [];
  });
  // Stable: reports of one rank stay in the order of their content.
  const [first, ...later] = reports.sort((one, other) => one.rank - other.rank);
  if (!first) throw new AppError('unprocessable', 'The stored reports have nothing to import.');
  const receivedMs = Math.min(...raws.map(({ receivedAt }) => receivedAt.getTime()));
  return { report: mergeReports([first, ...later]), receivedMs };
}

/** @throws AppError conversation_deleted, bot_not_of_key, unprocessable */
function requireAccepted({ conversationId }: ImportedCall, { answer }: AppliedBatch, events: number): void {
  const { rejected } = answer;
  if (rejected.some(({ code }) => code === 'CONVERSATION_DELETED'))
    throw new AppError(
      'conversation_deleted',
      `Conversation "${conversationId}" was deleted and accepts no further events.`,
    );
  if (rejected.some(({ code }) => code === 'BOT_NOT_OF_KEY'))
    throw new AppError('bot_not_of_key', 'The report belongs to none of the bots of the key. Set bot_id.');
  if (rejected.length === events)
    throw new AppError(
      'unprocessable',
      `The report has no event that can be stored: ${rejected[0]!.message}`.slice(0, 500),
    );
}

function parseReport({ chooseShape }: Importer, body: unknown, { lost }: BodyDoubts): unknown {
  const refused = [...lost, ...findRefusedJson(body)].filter(({ code }) => code !== 'half_surrogate');
  if (refused.length > 0)
    throw new AppError('invalid_request', 'the report has values that cannot be stored', { fields: refused });
  const problems: FieldProblem[] = [];
  const report = wellFormed(body);
  const read = parsePart(chooseShape(report), report, 'body', problems);
  if (problems.length > 0)
    throw new AppError('invalid_request', 'the body is not a report as documented by the vendor', {
      fields: problems,
    });
  return read;
}

/**
 * Members that changed since the last import: PATCH may have set others since. Skips and reports
 * those that exceed a limit.
 */
function selectStorable(changes: object, hasChanged: (name: string, value: unknown) => boolean) {
  const storable: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const parsed = conversationUpdate.safeParse({ [name]: value as unknown });
    if (!parsed.success) refused.push(`/${name} ${parsed.error.issues[0]!.message}`.slice(0, 300));
    else if (hasChanged(name, value)) Object.assign(storable, parsed.data);
  }
  return { storable: storable as z.output<typeof conversationUpdate>, refused };
}
