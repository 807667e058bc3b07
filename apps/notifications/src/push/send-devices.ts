// One message to up to fifty devices at once: open their subscriptions, encrypt for each, send, and say for each what came of
// it. Callers record what it says before they go on; written here is only which key a device turned out to have.
import type { Sql } from '@parley/postgres';
import { unseal, type Keyring } from '@parley/runtime';
import { subscriptionContext } from '@parley/sealed-columns';
import type { Deps } from '../deps.ts';
import { openedSubscription } from './check-subscription.ts';
import type { DeviceKeys } from './engine/encrypt.ts';
import { topicOf, type PushOptions, type Urgency } from './engine/push-sender.ts';
import type { VapidKey, VapidKeys } from './engine/vapid-keys.ts';
import { remainingTtl, type Tried } from './fanout.rules.ts';
import type { Push } from './push-side.ts';

export type PushDeps = Deps & { readonly push: Push };

/** In flight together, and at most what is sent and not yet recorded: what a killed worker repeats (docs/notifications.md#web-push). */
export const BATCH_DEVICES = 50;

/** What is sent to all devices of a fan-out. */
export interface Message {
  readonly organizationId: string;
  readonly notificationId: string;
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

/** A device with its message, ready to go. */
interface Ready extends Pick<Device, 'id' | 'userId' | 'keyId'> {
  /** Null: its row cannot be opened with the keys that this process has. */
  readonly endpoint: string | null;
  /** Null: its keys cannot be encrypted for. */
  readonly body: Buffer | null;
}

export interface TriedDevice {
  readonly id: string;
  readonly userId: string | null;
  readonly tried: Tried;
}

/** Everything before the network. Apart from `send`, so that the next batch is made while one is on its way. */
export async function prepareDevices(
  { push, clock, log }: PushDeps,
  message: Message,
  devices: readonly Device[],
): Promise<readonly Ready[]> {
  // It has expired, or was canceled: `sendPrepared` says so of every device, and needs nothing of them.
  if (clock() >= message.expiresAtMs) return devices.map((device) => ready(device, null, null));
  const keyring = await push.dataKeyring();
  const opened = devices.map((device) => openOrNull(keyring, message, device));
  const unreadable = devices.filter((_, index) => opened[index] === null);
  if (unreadable.length > 0) {
    log.error(
      { organization_id: message.organizationId, devices: unreadable.length, first: unreadable[0]!.id },
      'push.subscriptions_unreadable',
    );
  }
  const keys: readonly DeviceKeys[] = opened.filter((one) => one !== null);
  const bodies = (await push.encryption.encryptAll(Buffer.from(message.payload), keys)).values();
  return devices.map((device, index) => {
    const one = opened[index];
    return one ? ready(device, one.endpoint, bodies.next().value ?? null) : ready(device, null, null);
  });
}

/** Without what was sealed: a batch waits for its turn as plain as it is sent. */
function ready({ id, userId, keyId }: Device, endpoint: string | null, body: Buffer | null): Ready {
  return { id, userId, keyId, endpoint, body };
}

/**
 * A row of a key that DATA_KEY has no more. Not thrown, although it is a failure of ours: one such row would hold up all the
 * others of its chunk for ever. It is tried again like a device that cannot be reached, since the key may be put back.
 */
function openOrNull(keyring: Keyring, { organizationId }: Message, { id, sealed }: Device) {
  try {
    return openedSubscription(unseal(keyring, sealed, subscriptionContext({ organizationId, id })));
  } catch {
    return null;
  }
}

/** Never throws for their failure. Takes as long as the slowest of them, at most the time-out of an attempt (twice, after a 401). */
export async function sendPrepared(
  { push, clock, sql }: PushDeps,
  message: Message,
  devices: readonly Ready[],
): Promise<TriedDevice[]> {
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
    devices.map(async ({ id, userId, keyId, endpoint, body }): Promise<TriedDevice> => {
      if (endpoint === null) return { id, userId, tried: { kind: 'unavailable', errorClass: 'unreadable' } };
      if (body === null) return { id, userId, tried: { kind: 'rejected', errorClass: 'invalid_keys' } };
      const topic = message.topic ?? topicOf(message.notificationId, id);
      let tried: Tried = { kind: 'key_mismatch' };
      for (const key of keysToTry(byId, keyId)) {
        tried = await push.sender.send(endpoint, body, key, topic, options);
        if (tried.kind === 'sent' && key.id !== keyId) found.push({ id, keyId: key.id });
        if (tried.kind !== 'key_mismatch') break;
      }
      return { id, userId, tried };
    }),
  );
  if (found.length > 0) await keepKeys(sql, message.organizationId, found);
  for (const device of tried) push.counted(device.tried);
  return tried;
}

/** A device that signed out and in again may say nothing of its key, or the wrong one: the others are tried as well. */
function keysToTry(keys: VapidKeys['byId'], keyId: string): VapidKey[] {
  const others = [...keys.values()].filter(({ id }) => id !== keyId);
  return [...[keys.get(keyId) ?? []].flat(), ...others].slice(0, KEYS_TRIED_MAX);
}
const KEYS_TRIED_MAX = 3;

async function keepKeys(
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
