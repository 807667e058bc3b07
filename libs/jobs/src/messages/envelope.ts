// A message on the wire: the data of its BullMQ job, and its row in the outbox.
import { anyObject, AppError } from '@parley/envelopes';
import type { Sealer } from '@parley/server/runtime';
import { z } from 'zod';
import {
  contracts,
  SERVICES,
  type ContractName,
  type ContractRow,
  type Party,
  type Payload,
} from './contracts.ts';
import { UnauthenticatedMessage, type PairKeys, type SignedFacts } from './message-keys.ts';
import type { JobKind } from '../job-kind.ts';
import type { NewJob } from '../producer.ts';
import type { WorkRow } from '../work/work-rows.ts';
import { MalformedJob, parseOrMalformed } from '../worker.ts';

/** Ties a message to the request that caused it (docs/platform.md#request-ids). */
export interface Trace {
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

/** An invalid trace is ignored: it must not spoil the message. */
const requestId = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/);
const traceparent = z.string().regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);

/** test/samples/envelope stores samples. */
export const envelope = z.object({
  id: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
  organization_id: z.string().min(1).max(255),
  /**
   * The service that owns the outbox row and gets the acknowledgement. Absent for messages that are
   * added directly.
   */
  producer: z.enum(SERVICES).optional(),
  /** When the row was written. Present wherever `producer` is. */
  created_at_ms: z.int().optional(),
  /**
   * JSON text, or its sealed form. Text passes PostgreSQL's jsonb unchanged (member order,
   * `\u0000`). Senders that add a message directly may pass an object.
   */
  payload: z.union([z.string(), anyObject]),
  /** `<key id>.<HMAC-SHA256 in base64url>` (message-keys.ts). */
  mac: z.string().max(128).optional(),
  request_id: requestId.optional().catch(undefined),
  traceparent: traceparent.optional().catch(undefined),
  /**
   * Envelopes that share the job, each with a signature of its own. A consumer that does not know
   * it applies the first message, and the sweeper enqueues the others alone.
   */
  more: z.array(z.unknown()).max(500).optional(),
});
export type Envelope = z.output<typeof envelope>;

/**
 * One row of the table `outbox`, as the SQL here selects it. It is due as soon as it is written.
 */
export interface OutboxRow extends WorkRow {
  readonly organization_id: string;
  readonly contract: string;
  readonly payload: string;
  readonly request_id: string | null;
  readonly traceparent: string | null;
  /** The conversation whose content it holds. Written, never selected. */
  readonly about?: string | null;
  /** The message after which their shared first job is named. Null: a job of its own. */
  readonly batch?: string | null;
}

/** A row of a contract that this release knows. */
export type KnownRow = OutboxRow & { readonly contract: ContractName };

/** The kind of job that carries messages of a contract. */
export function messageKind(name: ContractName): JobKind<Envelope> {
  const { queue, attempts, timeoutMs } = contracts[name];
  return { name, queue, payload: envelope, attempts, timeoutMs };
}

/** A message has one attempt; only its enqueue number grows. */
const ATTEMPT = 1;

/** What the MAC covers besides the payload. A message that was added directly has no time. */
function toSignedFacts(contract: ContractName, message: Envelope): SignedFacts {
  const {
    id,
    organization_id: organizationId,
    producer = 'media-runtime',
    created_at_ms: at = null,
  } = message;
  return [contract, producer, contracts[contract].consumer, id, organizationId, at];
}

/** @throws UnauthenticatedMessage unless an allowed sender has signed the message. */
export function checkSender(contract: ContractName, message: Envelope, keys: PairKeys): void {
  const facts = toSignedFacts(contract, message);
  const producers: readonly Party[] = contracts[contract].producers;
  if (!producers.includes(facts[1])) {
    throw new UnauthenticatedMessage([`${facts[1]} does not produce ${contract}`]);
  }
  keys.check(facts, message.payload, message.mac);
}

/**
 * The job for the row's current enqueue number. Signed now, so that a new key applies to old rows
 * too.
 */
export function toNewJob(row: KnownRow, keys: PairKeys): NewJob<Envelope> {
  const { id, organization_id, payload, rings: enqueueNumber, dueAt } = row;
  const trace = { request_id: row.request_id ?? undefined, traceparent: row.traceparent ?? undefined };
  const data = { id, organization_id, producer: keys.service, created_at_ms: dueAt.getTime(), payload };
  const mac = keys.sign(toSignedFacts(row.contract, data), payload);
  return { row: id, attempt: ATTEMPT, enqueueNumber, payload: { ...data, mac, ...trace } };
}

/** The first job of messages that share one; `batch` names it. */
export function toSharedJob(
  batch: string,
  [first, ...others]: readonly [KnownRow, ...KnownRow[]],
  keys: PairKeys,
): NewJob<Envelope> {
  const job = { ...toNewJob(first, keys), row: batch };
  if (others.length === 0) return job;
  const more = others.map((row) => toNewJob(row, keys).payload);
  return { ...job, payload: { ...job.payload, more } };
}

/**
 * Re-dates a message that its consumer re-enqueues: too old messages are not applied. An unsigned
 * message stays as it is and is refused.
 */
export function renewMessage(
  contract: ContractName,
  message: Envelope,
  keys: PairKeys,
  nowMs: number,
): Envelope {
  if (!message.producer || typeof message.payload !== 'string') return message;
  try {
    checkSender(contract, message, keys);
  } catch (error) {
    if (error instanceof UnauthenticatedMessage) return message;
    throw error;
  }
  const fresh = { ...message, created_at_ms: nowMs };
  return { ...fresh, mac: keys.sign(toSignedFacts(contract, fresh), message.payload) };
}

/** The platform's limit for a body: a message never holds more than the request that caused it. */
export const PAYLOAD_BYTES_MAX = 1_048_576;

/** Binds sealed text to this message of this organisation. */
function buildSealContext(contract: ContractName, id: string, organizationId: string): string {
  return JSON.stringify(['message', contract, id, organizationId]);
}

/** Whether a message can never be sent: it violates its contract or is too large. */
export const isUnsendable = (error: unknown): boolean =>
  error instanceof z.ZodError || (error instanceof AppError && error.code === 'payload_too_large');

/**
 * The payload as it is stored: validated, as JSON text, sealed where the contract says so.
 * @throws ZodError when the payload violates the contract: a bug of the caller.
 * @throws AppError payload_too_large
 */
export async function packPayload(
  message: { readonly contract: ContractName; readonly organizationId: string; readonly payload: unknown },
  id: string,
  sealer: Sealer,
): Promise<string> {
  const { contract, organizationId } = message;
  const row: ContractRow = contracts[contract];
  const payload: unknown = (row.outgoing ?? row.payload).parse(message.payload);
  if (!belongsToOrganization(payload, organizationId))
    throw new Error(`${contract}: organization_id of the payload must be that of the message`);
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text) > PAYLOAD_BYTES_MAX) {
    throw new AppError(
      'payload_too_large',
      `a ${contract} of more than ${PAYLOAD_BYTES_MAX} bytes cannot be sent: shorten its content`,
    );
  }
  return contracts[contract].sealed
    ? sealer.seal(text, buildSealContext(contract, id, organizationId))
    : text;
}

/**
 * Opens and parses a payload.
 * @throws MalformedJob when it violates its contract.
 * @throws Error when it cannot be unsealed: the key may not have arrived yet, so a retry can help.
 */
export async function unpackPayload<Name extends ContractName>(
  contract: Name,
  message: Envelope,
  sealer: Sealer,
): Promise<Payload<Name>> {
  const { id, organization_id: organizationId } = message;
  let content: unknown = message.payload;
  if (contracts[contract].sealed) {
    // A plain payload here would mean that secrets are readable in the queue.
    if (typeof content !== 'string') throw new MalformedJob(['payload is not sealed']);
    content = await sealer.unseal(content, buildSealContext(contract, id, organizationId));
  }
  if (typeof content === 'string') content = parseJson(content);
  const schema: z.ZodType = contracts[contract].payload;
  const payload = parseOrMalformed(schema, content) as Payload<Name>;
  if (!belongsToOrganization(payload, organizationId))
    throw new MalformedJob(["organization_id is not the message's own"]);
  return payload;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJob(['payload is not JSON']);
  }
}

/**
 * A payload that names an organisation must name that of the message (docs/platform.md#tenants).
 */
function belongsToOrganization(payload: unknown, organizationId: string): boolean {
  const named = (payload as { organization_id?: unknown }).organization_id;
  return named === undefined || named === organizationId;
}
