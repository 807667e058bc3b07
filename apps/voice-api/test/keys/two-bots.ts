// An organisation with two bots and a key with every scope that is bound to one of them
// (docs/platform.md#bound-keys).
import type { ApiClient, Operation } from '@parley/testing-services';
import { runExports } from '../../src/exports/run-exports.ts';
import { call } from '../events.ts';
import { addRecordingCopy, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

export type Items = { items: Record<string, unknown>[]; next_cursor: string | null };

export type TwoBots = Awaited<ReturnType<typeof twoBots>>;

let made = 0;

/** A unique id. */
export const named = (what: string): string => `${what}-${(made += 1)}`;

export async function twoBots(voice: VoiceApi) {
  const organizationId = named('bound');
  const admin = voice.as(await voice.issueKey(organizationId));
  const newBot = async () =>
    dataOf<{ id: string }>(await admin.post('/v1/bots', { name: 'Ada' }).expect(201)).id;
  const [ours, theirs] = [await newBot(), await newBot()];
  const issue = { name: 'ours', scopes: ['read', 'write', 'delete', 'admin'], bot_ids: [ours] };
  const { key } = dataOf<{ key: string }>(await admin.post('/v1/api-keys', issue).expect(201));
  const bound = voice.as(key);

  async function converse(botId: string): Promise<string> {
    const id = named('conversation');
    await admin.post('/v1/conversations/events', { events: call(id, botId) }).expect(200);
    return id;
  }

  async function exportBy(api: ApiClient, body = {}): Promise<string> {
    const { id } = dataOf<{ id: string }>(await api.post('/v1/exports', body).expect(201));
    await runExports(voice.deps);
    return id;
  }

  async function webhookOf(bot_ids: string[], api = admin): Promise<string> {
    const body = { url: 'https://8.8.8.8/hook', events: ['*'], bot_ids };
    return dataOf<{ id: string }>(await api.post('/v1/webhooks', body).expect(201)).id;
  }

  async function deliveriesBy(api: ApiClient, webhookId: string) {
    return dataOf<Items>(await api.get(`/v1/webhooks/${webhookId}/deliveries`).expect(200)).items;
  }

  /** A status for requests without an answer. */
  async function exhaust(webhookId: string): Promise<void> {
    await voice.deps.sql(`UPDATE webhook_deliveries SET status = 'exhausted' WHERE webhook_id = $1`, [
      webhookId,
    ]);
  }

  /** Path parameters of an operation for one bot. */
  async function placesOf(botId: string): Promise<Record<string, string>> {
    const api = botId === ours ? bound : admin;
    const webhook_id = await webhookOf([botId], api);
    const conversation_id = await converse(botId);
    await addRecordingCopy(voice, organizationId, conversation_id);
    const [delivery] = await deliveriesBy(admin, webhook_id);
    await exhaust(webhook_id);
    return {
      webhook_id,
      conversation_id,
      bot_id: botId,
      delivery_id: delivery!['id'] as string,
      export_id: await exportBy(api),
      part: '1',
    };
  }

  /** The rows with these ids. */
  async function rowsOf(places: Record<string, string>) {
    const ids = {
      conversations: places['conversation_id'],
      bots: places['bot_id'],
      webhooks: places['webhook_id'],
      webhook_deliveries: places['delivery_id'],
    };
    const rows = await Promise.all(
      Object.entries(ids).map(([table, id]) =>
        voice.deps.sql(`SELECT to_jsonb(stored) AS row FROM ${table} AS stored WHERE id = $1`, [id]),
      ),
    );
    if (rows.some(({ length }) => length !== 1)) throw new Error(`not there: ${JSON.stringify(places)}`);
    return rows;
  }

  /** The answer to the bound key. */
  async function statusOf({ method, path }: Pick<Operation, 'method' | 'path'>, body?: object) {
    const response = await fetch(voice.server.url + path, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // Does not wait for streaming answers.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (isStream) await response.body?.cancel();
    return { status: response.status, text: isStream ? '' : await response.text() };
  }

  return {
    admin,
    bound,
    ours,
    theirs,
    converse,
    exportBy,
    webhookOf,
    deliveriesBy,
    exhaust,
    placesOf,
    rowsOf,
    statusOf,
  };
}
