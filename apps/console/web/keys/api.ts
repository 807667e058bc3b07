// API keys of the three services. Their endpoints differ only in the format of timestamps.
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import type { components as FlowSchemas } from '@parley/sdk/flow-builder';
import type { components as NotificationSchemas } from '@parley/sdk/notifications';
import type { components as VoiceSchemas } from '@parley/sdk/voice-api';

export type Key =
  | FlowSchemas['schemas']['ApiKey']
  | VoiceSchemas['schemas']['ApiKey']
  | NotificationSchemas['schemas']['ApiKey'];
export type IssuedKey = Key & { readonly key: string };
export type KeyScope = Key['scopes'][number];

export interface NewKey {
  readonly name: string;
  readonly scopes: KeyScope[];
  readonly expiresAtMs: number | null;
  /** IP addresses and CIDR blocks; empty: any address. */
  readonly allowedIps: string[];
  /** Voice API only: the bots that the key may access; empty: all. */
  readonly botIds: string[];
}

interface KeyApi {
  list(cursor: string | undefined): Promise<{ items: Key[]; next_cursor: string | null }>;
  create(key: NewKey): Promise<IssuedKey>;
  rotate(id: string, graceSeconds: number): Promise<IssuedKey>;
  revoke(id: string): Promise<unknown>;
}

const query = (cursor: string | undefined) => ({ params: { query: cursor === undefined ? {} : { cursor } } });
const at = (id: string) => ({ params: { path: { id } } });
const toBody = ({ name, scopes, expiresAtMs, allowedIps }: NewKey) => ({
  name,
  scopes,
  allowed_ips: allowedIps,
  expires_at: expiresAtMs === null ? null : expiresAtMs / 1000,
});
const grace = (graceSeconds: number) => ({ body: { grace_seconds: graceSeconds } });

export const keyApi: Readonly<Record<Service, KeyApi>> = {
  'flow-builder': {
    list: (cursor) => readBody(flowBuilder.GET('/v1/api-keys', query(cursor))),
    create: (key) => readBody(flowBuilder.POST('/v1/api-keys', { body: toBody(key) })),
    rotate: (id, s) => readBody(flowBuilder.POST('/v1/api-keys/{id}/rotate', { ...at(id), ...grace(s) })),
    revoke: (id) => readBody(flowBuilder.DELETE('/v1/api-keys/{id}', at(id))),
  },
  'voice-api': {
    list: (cursor) => readData(voiceApi.GET('/v1/api-keys', query(cursor))),
    create: ({ name, scopes, expiresAtMs, allowedIps, botIds }) =>
      readData(
        voiceApi.POST('/v1/api-keys', {
          body: {
            name,
            scopes,
            allowed_ips: allowedIps,
            bot_ids: botIds,
            expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
          },
        }),
      ),
    rotate: (id, s) => readData(voiceApi.POST('/v1/api-keys/{id}/rotate', { ...at(id), ...grace(s) })),
    revoke: (id) => readBody(voiceApi.DELETE('/v1/api-keys/{id}', at(id))),
  },
  notifications: {
    list: (cursor) => readBody(notifications.GET('/v1/api-keys', query(cursor))),
    create: (key) => readBody(notifications.POST('/v1/api-keys', { body: toBody(key) })),
    rotate: (id, s) => readBody(notifications.POST('/v1/api-keys/{id}/rotate', { ...at(id), ...grace(s) })),
    revoke: (id) => readBody(notifications.DELETE('/v1/api-keys/{id}', at(id))),
  },
};
