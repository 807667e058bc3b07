// A message on the wire: the data of its BullMQ job, and the row of the outbox it is made from.
import { anyObject, AppError } from '@parley/envelopes';
import type { Sealer } from '@parley/runtime';
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
import type { Ring } from '../producer.ts';
import type { WorkRow } from '../work/work-table.ts';
import { MalformedJob, parseOrMalformed } from '../worker.ts';

/** What ties a message to the request that caused it (docs/platform.md#request-ids). */
export interface Trace {
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

/** A trace that is not one says nothing; it does not spoil the message. */
const requestId = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/);
const traceparent = z.string().regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);

/** Stored samples of it are in test/samples/envelope. */
export const envelope = z.object({
  id: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
  organization_id: z.string().min(1).max(255),
  /** Whose outbox it comes from, and who is told when its effect is committed. Absent: added directly, no promise. */
  producer: z.enum(SERVICES).optional(),
  /** When its row was written; present wherever `producer` is. */
  created_at_ms: z.int().optional(),
  /**
   * JSON text, or the sealed text of it. As text it passes PostgreSQL's jsonb unchanged (order of members, `\u0000`).
   * Who adds a message directly may give the object itself.
   */
  payload: z.union([z.string(), anyObject]),
  /** `<id of the key>.<HMAC-SHA256 in base64url>` (message-keys.ts). */
  mac: z.string().max(128).optional(),
  request_id: requestId.optional().catch(undefined),
  traceparent: traceparent.optional().catch(undefined),
});
export type Envelope = z.output<typeof envelope>;

/** One row of the table `outbox`, as the SQL here selects it; it is due as soon as it is written. */
export interface OutboxRow extends WorkRow {
  readonly organization_id: string;
  readonly contract: string;
  readonly payload: string;
  readonly request_id: string | null;
  readonly traceparent: string | null;
}

/** The kind of job that rings for messages of a contract. */
export function messageKind(name: ContractName): JobKind<Envelope> {
  const { queue, attempts, timeoutMs } = contracts[name];
  return { name, queue, payload: envelope, attempts, timeoutMs };
}

/** A message has one attempt; what grows is how often it is rung. */
const ATTEMPT = 1;

/** What of a message is authenticated beside its payload; who adds one directly has no time of writing. */
function factsOf(contract: ContractName, message: Envelope): SignedFacts {
  const {
    id,
    organization_id: organizationId,
    producer = 'media-runtime',
    created_at_ms: at = null,
  } = message;
  return [contract, producer, contracts[contract].consumer, id, organizationId, at];
}

/** @throws UnauthenticatedMessage unless one who may send such messages has signed it. */
export function checkSender(contract: ContractName, message: Envelope, keys: PairKeys): void {
  const facts = factsOf(contract, message);
  const producers: readonly Party[] = contracts[contract].producers;
  if (!producers.includes(facts[1])) {
    throw new UnauthenticatedMessage([`${facts[1]} does not produce ${contract}`]);
  }
  keys.check(facts, message.payload, message.mac);
}

/** The ring under the row's present ring number. Signed now, and not when the row was written: a new key counts for old rows too. */
export function ringOf(row: OutboxRow & { readonly contract: ContractName }, keys: PairKeys): Ring<Envelope> {
  const { id, organization_id, payload, rings: ring, dueAt } = row;
  const trace = { request_id: row.request_id ?? undefined, traceparent: row.traceparent ?? undefined };
  const data = { id, organization_id, producer: keys.service, created_at_ms: dueAt.getTime(), payload };
  const mac = keys.sign(factsOf(row.contract, data), payload);
  return { row: id, attempt: ATTEMPT, ring, payload: { ...data, mac, ...trace } };
}

/**
 * A message that its consumer rings for again, as one of now: what is too old is not applied. One that its sender did not sign stays as
 * it is, and is not applied either.
 */
export function renewed(contract: ContractName, message: Envelope, keys: PairKeys, nowMs: number): Envelope {
  if (!message.producer || typeof message.payload !== 'string') return message;
  try {
    checkSender(contract, message, keys);
  } catch (error) {
    if (error instanceof UnauthenticatedMessage) return message;
    throw error;
  }
  const fresh = { ...message, created_at_ms: nowMs };
  return { ...fresh, mac: keys.sign(factsOf(contract, fresh), message.payload) };
}

/** The platform's limit for a body, 1 MiB, since a message never holds more than the request that caused it. */
export const PAYLOAD_BYTES_MAX = 1_048_576;

/** Sealed text opens only as the payload of this message of this organisation. */
function sealContext(contract: ContractName, id: string, organizationId: string): string {
  return JSON.stringify(['message', contract, id, organizationId]);
}

/** Whether a message can never be sent, however often it is tried: it is not its contract's, or too large. */
export const isUnsendable = (error: unknown): boolean =>
  error instanceof z.ZodError || (error instanceof AppError && error.code === 'payload_too_large');

/**
 * The payload as it is kept: checked, as JSON text, sealed where the contract says so.
 * @throws ZodError when the payload is not the contract's: a bug of the caller.
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
  if (!belongsTo(payload, organizationId))
    throw new Error(`${contract}: organization_id is not the message's own`);
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text) > PAYLOAD_BYTES_MAX) {
    throw new AppError(
      'payload_too_large',
      `a ${contract} of more than ${PAYLOAD_BYTES_MAX} bytes cannot be sent`,
    );
  }
  return contracts[contract].sealed ? sealer.seal(text, sealContext(contract, id, organizationId)) : text;
}

/**
 * The payload as its consumer gets it.
 * @throws MalformedJob when it is not the contract's.
 * @throws Error when it cannot be unsealed: the key may not have arrived here yet, so it is worth another try.
 */
export async function unpackPayload<Name extends ContractName>(
  contract: Name,
  message: Envelope,
  sealer: Sealer,
): Promise<Payload<Name>> {
  const { id, organization_id: organizationId } = message;
  let content: unknown = message.payload;
  if (contracts[contract].sealed) {
    // Never in the clear, whoever sent it: a plain payload here means that secrets lie in the queue.
    if (typeof content !== 'string') throw new MalformedJob(['payload is not sealed']);
    content = await sealer.unseal(content, sealContext(contract, id, organizationId));
  }
  if (typeof content === 'string') content = parseJson(content);
  const schema: z.ZodType = contracts[contract].payload;
  const payload = parseOrMalformed(schema, content) as Payload<Name>;
  if (!belongsTo(payload, organizationId))
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

/** A payload that names an organisation must name the message's own (docs/platform.md#tenants). */
function belongsTo(payload: unknown, organizationId: string): boolean {
  const named = (payload as { organization_id?: unknown }).organization_id;
  return named === undefined || named === organizationId;
}
