// One resource of each kind, and valid bodies of the operations, for tests that iterate over
// /openapi.json.
import { expect } from '@jest/globals';
import { newAlert, type ApiClient, type TenantMatrix } from '@parley/testing-services';
import { runExports } from '../src/exports/run-exports.ts';
import { addRecordingCopy, type VoiceApi } from './service.ts';

export function matrixOf(voice: VoiceApi): TenantMatrix {
  const clients = new Map<string, ApiClient>();
  const as = async (organizationId: string): Promise<ApiClient> => {
    const known = clients.get(organizationId) ?? voice.as(await voice.issueKey(organizationId));
    clients.set(organizationId, known);
    return known;
  };
  const idOf = ({ body }: { body: unknown }) => (body as { data: { id: string } }).data.id;
  let made = 0;
  const webhook = () => ({ url: `https://8.8.8.8/hook-${(made += 1)}`, events: ['*'] });
  const event = (conversationId: string, type: string, data: object = {}) => ({
    id: `evt-${(made += 1)}`,
    type,
    conversation_id: conversationId,
    occurred_at: new Date().toISOString(),
    data,
  });
  const converse = async (organizationId: string): Promise<string> => {
    const id = `conversation-${(made += 1)}`;
    const events = [
      event(id, 'conversation.started'),
      event(id, 'speech.final', { turn_index: 1, text: 'Hello.' }),
      event(id, 'conversation.ended'),
    ];
    const api = await as(organizationId);
    const taken = await api.post('/v1/conversations/events', { events }).expect(200);
    expect(taken.body).toMatchObject({ data: { accepted: 3, rejected: [] } });
    await addRecordingCopy(voice, organizationId, id);
    return id;
  };

  return {
    resources: {
      alerts: (organizationId) => newAlert(voice.deps, organizationId),
      bots: async (organizationId) =>
        idOf(await (await as(organizationId)).post('/v1/bots', { name: 'Ada' }).expect(201)),
      conversations: converse,
      callers: async (organizationId) => {
        const id = `caller-${(made += 1)}`;
        const started = event(`of-${id}`, 'conversation.started', { from: id });
        await (await as(organizationId)).post('/v1/conversations/events', { events: [started] }).expect(200);
        return `id:${id}`;
      },
      webhooks: async (organizationId) =>
        idOf(await (await as(organizationId)).post('/v1/webhooks', webhook()).expect(201)),
      deliveries: async (organizationId, known) => {
        const api = await as(organizationId);
        const id = known['webhooks'] ?? idOf(await api.post('/v1/webhooks', webhook()).expect(201));
        // Not the newest of the webhook: another request may delete its conversation.
        const conversation = await converse(organizationId);
        const listed = await api
          .get(`/v1/deliveries?webhook_id=${id}&conversation_id=${conversation}`)
          .expect(200);
        return (listed.body as { data: { items: { id: string }[] } }).data.items[0]!.id;
      },
      applications: async (organizationId) => {
        const id = `application-${(made += 1)}`;
        await (await as(organizationId)).put(`/v1/applications/${id}`, { name: 'Shop' }).expect(201);
        return id;
      },
      exports: async (organizationId) => {
        const id = idOf(await (await as(organizationId)).post('/v1/exports', {}).expect(201));
        await runExports(voice.deps);
        return id;
      },
      parts: () => Promise.resolve('1'),
      'import-tokens': async (organizationId) =>
        idOf(
          await (
            await as(organizationId)
          )
            .post('/v1/import-tokens', { name: 'x', source: 'vapi' })
            .expect(201),
        ),
      'api-keys': async (organizationId) =>
        idOf(
          await (await as(organizationId)).post('/v1/api-keys', { name: 'x', scopes: ['read'] }).expect(201),
        ),
    },
    bodies: {
      updateConversation: { summary: 'They called.' },
      putApplication: { name: 'Shop' },
      putApiKey: { name: 'x', scopes: ['read'] },
      putBot: { name: 'Ada' },
      putWebhook: { url: 'https://8.8.8.8/declared', events: ['*'] },
      holdConversation: { reason: 'A case' },
      replayDeliveries: { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
      verifyDelivery: { body: '{}', headers: {} },
    },
    // Nothing of an unknown caller is left: that is certified too. Any id makes an application.
    makers: ['eraseCaller', 'putApplication'],
    ignoredTables: ['analytics_facts'], // requests are counted there, a second after they were made
  };
}
