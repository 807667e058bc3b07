// Sends one message to up to fifty devices at once: unseals subscriptions, encrypts, sends and
// returns each result. Callers record the results before they continue. Only keys that turned out
// to match are written here.
import type { Sql } from '@parley/server/postgres';
import { unseal, type Keyring } from '@parley/server/runtime';
import { subscriptionContext } from '@parley/server/sealed-columns';
import type { BaseDeps } from '../../base-deps.ts';
import { fillLinks } from '../../people/message-links.ts';
import { parseSubscription } from './check-subscription.ts';
import { isAutopush, toAutopushPayload } from './autopush.ts';
import type { DeviceKeys } from '../../push-engine/encrypt.ts';
import { computeTopic, type PushOptions, type Urgency } from '../../push-engine/push-sender.ts';
import type { VapidKey, VapidKeys } from '../../push-engine/vapid-keys.ts';
import { remainingTtl } from './fanout.rules.ts';
import type { Push } from '../../push-engine/push.ts';
import type { DeviceAttempt } from '../../push-engine/push-outcome.rules.ts';

export type PushDeps = BaseDeps & { readonly push: Push };

/** In flight together; a killed worker repeats at most these (docs/notifications.md#web-push). */
export const BATCH_DEVICES = 50;

/** What all devices of a fan-out receive. */
export interface Message {
  readonly organizationId: string;
  readonly notificationId: string;
  /** Null: a broadcast, or a subscription in the request. */
  readonly userId: string | null;
  readonly payload: string;
  readonly urgency: Urgency;
  readonly topic: string | null;
  readonly ttlSeconds: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** A stored subscription. */
export interface Device {
  readonly id: string;
  readonly userId: string | null;
  readonly keyId: string;
  readonly sealed: string;
}

/** A device with its encrypted message. */
interface PreparedDevice extends Pick<Device, 'id' | 'userId' | 'keyId'> {
  /** Null: this process has no key to unseal the row. */
  readonly endpoint: string | null;
  /** Null: its keys are invalid. */
  readonly body: Buffer | null;
}

export interface AttemptedDevice {
  readonly id: string;
  readonly userId: string | null;
  readonly tried: DeviceAttempt;
}

/** All work before the network, so that the next batch is prepared while one is in flight. */
export async function prepareDevices(
  deps: PushDeps,
  message: Message,
  devices: readonly Device[],
): Promise<readonly PreparedDevice[]> {
  const { push, clock, log } = deps;
  // Expired or canceled: `sendPrepared` reports that for every device without its data.
  if (clock() >= message.expiresAtMs) return devices.map((device) => toPrepared(device, null, null));
  const keyring = await push.dataKeyring();
  const opened = devices.map((device) => openOrNull(keyring, message, device));
  const unreadable = devices.filter((_, index) => opened[index] === null);
  if (unreadable.length > 0) {
    log.error(
      { organization_id: message.organizationId, devices: unreadable.length, first: unreadable[0]!.id },
      'push.subscriptions_unreadable',
    );
  }
  const bodies = await encryptForServices(push, await writeOwnLinks(deps, message), opened);
  return devices.map((device, index) =>
    toPrepared(device, opened[index]?.endpoint ?? null, bodies.get(index) ?? null),
  );
}

/** Stored payloads have placeholders of links. */
function writeOwnLinks(deps: PushDeps, { payload, ...message }: Message): Promise<string> {
  const { organizationId, notificationId, userId } = message;
  return fillLinks(deps, { organizationId, notificationId, userId, channel: 'web_push' }, payload);
}

/** Each push service gets a payload that it accepts. @returns bodies by the index of the device. */
async function encryptForServices(
  { encryption }: Push,
  payload: string,
  devices: readonly ((DeviceKeys & { readonly endpoint: string }) | null)[],
): Promise<ReadonlyMap<number, Buffer | null>> {
  const groups = new Map<boolean, { readonly index: number; readonly keys: DeviceKeys }[]>();
  for (const [index, device] of devices.entries()) {
    if (device === null) continue;
    const one = { index, keys: device };
    const service = isAutopush(device.endpoint);
    if (!groups.get(service)?.push(one)) groups.set(service, [one]);
  }
  const bodies = new Map<number, Buffer | null>();
  for (const [autopush, group] of groups) {
    const plaintext = Buffer.from(autopush ? toAutopushPayload(payload) : payload);
    const encrypted = await encryption.encryptAll(
      plaintext,
      group.map(({ keys }) => keys),
    );
    for (const [place, { index }] of group.entries()) bodies.set(index, encrypted[place] ?? null);
  }
  return bodies;
}

/** Holds no sealed data while a batch waits. */
function toPrepared(
  { id, userId, keyId }: Device,
  endpoint: string | null,
  body: Buffer | null,
): PreparedDevice {
  return { id, userId, keyId, endpoint, body };
}

/**
 * A row whose key is no longer in DATA_KEY. Does not throw, although it is a failure of ours: one
 * such row would block its chunk permanently. It is retried like an unreachable device, since the
 * key may return.
 */
function openOrNull(keyring: Keyring, { organizationId }: Message, { id, sealed }: Device) {
  try {
    return parseSubscription(unseal(keyring, sealed, subscriptionContext({ organizationId, id })));
  } catch {
    return null;
  }
}

/** Never throws for a failure of a service. Takes as long as the slowest device. */
export async function sendPrepared(
  { push, clock, sql }: PushDeps,
  message: Message,
  devices: readonly PreparedDevice[],
): Promise<AttemptedDevice[]> {
  const nowMs = clock();
  if (nowMs >= message.expiresAtMs) {
    return devices.map(({ id, userId }) => ({ id, userId, tried: { kind: 'expired' } }));
  }
  const { byId } = await push.vapidKeys();
  const options: PushOptions = {
    ttlSeconds: remainingTtl(message, nowMs),
    urgency: message.urgency,
  };
  const found: { id: string; keyId: string }[] = [];
  const tried = await Promise.all(
    devices.map(async ({ id, userId, keyId, endpoint, body }): Promise<AttemptedDevice> => {
      if (endpoint === null) return { id, userId, tried: { kind: 'unavailable', errorClass: 'unreadable' } };
      if (body === null) return { id, userId, tried: { kind: 'rejected', errorClass: 'invalid_keys' } };
      const topic = computeTopic(
        ...(message.topic === null ? [message.notificationId, id] : [message.topic]),
      );
      let tried: DeviceAttempt = { kind: 'key_mismatch' };
      for (const key of keysToTry(byId, keyId)) {
        tried = await push.sender.send(endpoint, body, key, topic, options);
        if (tried.kind === 'sent' && key.id !== keyId) found.push({ id, keyId: key.id });
        if (tried.kind !== 'key_mismatch') break;
      }
      return { id, userId, tried };
    }),
  );
  if (found.length > 0) await saveKeys(sql, message.organizationId, found);
  for (const device of tried) push.countAttempt(device.tried);
  return tried;
}

/** A device that registered again may name no key or a wrong one: other keys are tried. */
function keysToTry(keys: VapidKeys['byId'], keyId: string): VapidKey[] {
  const others = [...keys.values()].filter(({ id }) => id !== keyId);
  return [...[keys.get(keyId) ?? []].flat(), ...others].slice(0, KEYS_TRIED_MAX);
}
const KEYS_TRIED_MAX = 3;

async function saveKeys(
  sql: Sql,
  organizationId: string,
  found: readonly { id: string; keyId: string }[],
): Promise<void> {
  await sql(
    `UPDATE push_subscriptions AS device SET key_id = one.key_id FROM unnest($2::text[], $3::text[]) AS one (id, key_id)
     WHERE device.id = one.id AND device.organization_id = $1::text`,
    [organizationId, found.map(({ id }) => id), found.map(({ keyId }) => keyId)],
  );
}
