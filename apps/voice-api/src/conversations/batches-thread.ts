// The thread that applies large batches of events, started by large-batches.ts. It is an entry of
// its own in the bundle (apps/dev/src/stack, bundle.ts).
import type pg from 'pg';
import { toWorkResult, type WorkResult } from '@parley/envelopes';
import { toAppError, judgeBody, type BodyDoubts, type LargeInput } from '@parley/server/http';
import { createPool } from '@parley/server/postgres';
import { createOutboxWriter } from '@parley/jobs';
import { createIds, createLog, createSealer, Secret, serveJobs, systemClock } from '@parley/server/runtime';
import { eventBatch } from './schemas.ts';
import { applyBatch, listEvents, type AppliedBatch } from './accept-events.ts';

export interface BatchJob extends Pick<LargeInput, 'caller' | 'body'> {
  readonly trace: LargeInput['request'];
  readonly settleSeconds: number;
  readonly database: { readonly url: string; readonly statementMs: number | undefined };
  /** The current key: keys are rotated. */
  readonly queueKey: string;
  /** The machine's clock minus the database's clock. */
  readonly clockAheadMs: number;
}

let clockAheadMs = 0;
const clock = () => Math.round(systemClock() - clockAheadMs);
const ids = createIds(clock);
const log = createLog({ service: 'voice-api', level: 'warn' });
let pool: pg.Pool | undefined;

async function take({
  caller,
  body,
  trace,
  settleSeconds,
  database,
  queueKey,
  ...job
}: BatchJob): Promise<AppliedBatch> {
  clockAheadMs = job.clockAheadMs;
  pool ??= createPool({
    url: new Secret(database.url),
    applicationName: 'voice-api large batches',
    connectionsMax: 1,
    statementMs: database.statementMs,
    log,
  });
  const sealer = await createSealer({ resolve: async () => new Secret(queueKey) }, 'QUEUE_KEY');
  const outbox = createOutboxWriter({ service: 'voice-api', sealer, ids, clock });
  const deps = { pool, ids, outbox, clock, config: { TRANSCRIPT_SETTLE: settleSeconds } };
  const doubts: BodyDoubts = { mayBeRefused: false, lost: [] };
  const events = listEvents(judgeBody(eventBatch, caller, body, doubts));
  return applyBatch(deps, caller, events, trace, { doubts });
}

serveJobs<BatchJob, WorkResult<AppliedBatch>>((job) =>
  toWorkResult(
    take(job).catch((error: unknown) => {
      throw toAppError(error) ?? error;
    }),
  ),
);
