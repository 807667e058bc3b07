// Bots: success and errors of every endpoint, versions and tags, archiving, purging.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { call, event, reaches, readTranscript, recordEverything, send, sentEvents } from './events.ts';
import type { ApiClient } from '@parley/testing-services';
import { startVoiceApi, type VoiceApi } from './service.ts';

interface Bot {
  id: string;
  name: string;
  version: number;
  [member: string]: unknown;
}

jest.setTimeout(60_000);

let service: VoiceApi;
let api: ApiClient;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
  api = service.api;
});
afterAll(() => service.stop());

const create = async (body: object): Promise<Bot> => {
  const answer = await api.post('/v1/bots', body).expect(201);
  return (answer.body as { data: Bot }).data;
};
const list = async (query: string) => {
  const answer = await api.get(`/v1/bots?${query}`).expect(200);
  return (answer.body as { data: { items: Bot[]; next_cursor: string | null; has_more: boolean } }).data;
};
const names = async (query: string) => (await list(query)).items.map(({ name }) => name);

/** A bot with all members. */
const whole = {
  name: 'Booking',
  description: 'Takes bookings',
  status: 'paused',
  flow_id: 'booking',
  flow_version: 4,
  language: 'pt-BR',
  voice: { provider: 'acme', voice_id: 'v1', speed: 1.25 },
  model: { provider: 'openai', name: 'gpt', temperature: 0.3 },
  transcriber: { provider: 'acme', model: 'ear-2' },
  system_prompt: 'Be brief.',
  first_message: 'Olá!',
  max_duration_seconds: 600,
  silence_timeout_seconds: 12,
  interruptible: false,
  tags: ['sales', 'eu'],
  metadata: { team: 'a' },
};

describe('creating', () => {
  test('needs only a name', async () => {
    const answer = await api.post('/v1/bots', { name: ' Plain ' }).expect(201);
    const { data } = answer.body as { data: Bot };
    expect(data).toEqual({
      id: expect.stringMatching(/^bot_/),
      name: ' Plain ',
      description: null,
      status: 'active',
      flow_id: null,
      flow_version: null,
      language: 'en',
      voice: { provider: null, voice_id: null, speed: 1 },
      model: { provider: null, name: null, temperature: null },
      transcriber: { provider: null, model: null },
      system_prompt: null,
      first_message: null,
      max_duration_seconds: 1800,
      silence_timeout_seconds: null,
      interruptible: true,
      recording: 'full',
      tags: [],
      metadata: {},
      version: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: data['created_at'],
    });
    expect(answer.headers['etag']).toBe('"1"');
    expect(answer.headers['location']).toBe(`/v1/bots/${data.id}`);
  });

  test('stores all members', async () => {
    const bot = await create(whole);
    expect(bot).toMatchObject(whole);
    const body = (await api.get(`/v1/bots/${bot.id}`).expect(200)).body as unknown;
    expect((body as { data: Bot }).data).toEqual(bot);
  });

  test('creates one bot for one Idempotency-Key', async () => {
    const once = () => api.post('/v1/bots', { name: 'Once' }).set('idempotency-key', 'k1');
    const first = await once().expect(201);
    const second = await once().expect(201);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((second.body as { data: Bot }).data.id).toBe((first.body as { data: Bot }).data.id);
    expect(await names('q=Once')).toEqual(['Once']);
    await api.post('/v1/bots', { name: 'Other' }).set('idempotency-key', 'k1').expect(422);
  });

  test('rejects wrong members and names each', async () => {
    const keys = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
    const wrong: [object, string][] = [
      [{}, '/name'],
      [{ name: '  ' }, '/name'],
      [{ name: 'x'.repeat(256) }, '/name'],
      [{ name: 'x', status: 'archived' }, '/status'],
      [{ name: 'x', language: 'not_a_tag' }, '/language'],
      [{ name: 'x', voice: { pitch: 2 } }, '/voice/pitch'],
      [{ name: 'x', voice: { speed: 9 } }, '/voice/speed'],
      [{ name: 'x', model: { temperature: 3 } }, '/model/temperature'],
      [{ name: 'x', max_duration_seconds: 0 }, '/max_duration_seconds'],
      [{ name: 'x', tags: ['a', 'a'] }, '/tags/1'],
      [{ name: 'x', metadata: keys }, '/metadata'],
      [{ name: 'x', metadata: { ['k'.repeat(41)]: 'v' } }, `/metadata/${'k'.repeat(41)}`],
      [{ name: 'x', metadata: { k: 'v'.repeat(501) } }, '/metadata/k'],
      [{ name: 'x', metadata: { k: 1 } }, '/metadata/k'],
      [{ name: 'x', version: 3 }, '/version'],
      [{ name: 'nul \u0000' }, '/name'],
    ];
    for (const [body, path] of wrong) {
      const answer = await api.post('/v1/bots', body).expect(400);
      expect(answer.body).toMatchObject({
        error: { code: 'INVALID_REQUEST', details: { fields: [expect.objectContaining({ path })] } },
      });
    }
    const unnamed = await api.post('/v1/bots', {}).expect(400);
    expect(JSON.stringify(unnamed.body)).toContain('expected string, received undefined');
    const edge = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [String(index).padStart(40, 'k'), 'v'.repeat(500)]),
    );
    expect((await create({ name: 'Edge', metadata: edge }))['metadata']).toEqual(edge);
  });
});

describe('changing', () => {
  test('grows the version only with changes', async () => {
    const bot = await create(whole);
    const changed = await api
      .patch(`/v1/bots/${bot.id}`, { name: 'Bookings', voice: { speed: 0.8 } })
      .expect(200);
    expect(changed.headers['etag']).toBe('"2"');
    expect((changed.body as { data: Bot }).data).toMatchObject({
      ...whole,
      name: 'Bookings',
      voice: { ...whole.voice, speed: 0.8 },
      version: 2,
    });
    const same = await api
      .patch(`/v1/bots/${bot.id}`, { name: 'Bookings', tags: whole.tags, voice: {} })
      .expect(200);
    expect((same.body as { data: Bot }).data).toEqual((changed.body as { data: Bot }).data);
    const replaced = await api
      .patch(`/v1/bots/${bot.id}`, { metadata: { only: 'this' }, description: null, status: 'active' })
      .expect(200);
    expect((replaced.body as { data: Bot }).data).toMatchObject({
      metadata: { only: 'this' },
      description: null,
      status: 'active',
      version: 3,
    });
  });

  test('lets one of several concurrent updates of a version win', async () => {
    const bot = await create({ name: 'Contested' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        api.patch(`/v1/bots/${bot.id}`, { name: `Contested ${index}` }).set('if-match', '"1"'),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    await api.patch(`/v1/bots/${bot.id}`, { name: 'Any' }).set('if-match', '*').expect(200);
    const stale = await api.patch(`/v1/bots/${bot.id}`, { name: 'Old' }).set('if-match', '"1"').expect(412);
    expect(stale.body).toMatchObject({ error: { code: 'PRECONDITION_FAILED' } });
    await api.delete(`/v1/bots/${bot.id}`).set('if-match', '"1"').expect(412);
  });

  test('rejects unknown members', async () => {
    const bot = await create({ name: 'Strict' });
    for (const body of [{ id: 'bot_x' }, { name: null }, { colour: 'red' }]) {
      await api.patch(`/v1/bots/${bot.id}`, body).expect(400);
    }
  });
});

describe('the list', () => {
  test('rejects invented cursors', async () => {
    for (const key of [[1e300, 'x'], [-1, 'x'], [1, 'nul \0'], ['x']]) {
      const cursor = Buffer.from(JSON.stringify(key)).toString('base64url');
      for (const path of ['/v1/bots', '/v1/conversations'])
        expect((await api.get(`${path}?cursor=${cursor}`)).body).toMatchObject({
          error: { code: 'INVALID_REQUEST', details: { fields: [{ path: '/query/cursor', in: 'query' }] } },
        });
    }
    const nul = Buffer.from(JSON.stringify(['\0'])).toString('base64url');
    await api.get(`/v1/webhooks?cursor=${nul}`).expect(400);
  });

  test('has pages, newest first, and filters by tag, status and text', async () => {
    for (const [name, tags] of [
      ['Alpha', ['list', 'x']],
      ['Beta 100%', ['list']],
      ['Gamma', ['list', 'x']],
    ] as const) {
      await create({ name, tags, description: `the ${name} one` });
    }
    expect(await names('tag=list')).toEqual(['Gamma', 'Beta 100%', 'Alpha']);
    expect(await names('tag=x')).toEqual(['Gamma', 'Alpha']);
    expect(await names('tag=list&q=THE+alpha')).toEqual(['Alpha']);
    expect(await names('tag=list&q=100%25')).toEqual(['Beta 100%']);
    expect(await names('tag=list&q=1%25%25')).toEqual([]); // `%` is literal
    const first = await list('tag=list&limit=2');
    expect(first).toMatchObject({ has_more: true });
    await create({ name: 'Newer', tags: ['list'] });
    const second = await list(`tag=list&limit=2&cursor=${first.next_cursor}`);
    expect([second.items.map(({ name }) => name), second.has_more]).toEqual([['Alpha'], false]);
    const paused = await create({ name: 'Paused', status: 'paused', tags: ['list'] });
    expect((await list('tag=list&status=paused')).items).toEqual([paused]);
    for (const query of ['limit=0', 'status=off', 'order=asc', 'cursor=%7B%7D'])
      await api.get(`/v1/bots?${query}`).expect(400);
  });
});

describe('deleting', () => {
  test('archives a bot, whose conversations stay readable', async () => {
    const bot = await create({ name: 'Archived', tags: ['gone'] });
    await send(service, call('of-archived', bot.id));
    const body = (await api.delete(`/v1/bots/${bot.id}`).expect(200)).body as unknown;
    expect((body as { data: object }).data).toEqual({ id: bot.id, deleted: true });
    for (const request of [
      api.get(`/v1/bots/${bot.id}`),
      api.patch(`/v1/bots/${bot.id}`, { name: 'Back' }),
      api.delete(`/v1/bots/${bot.id}`),
    ]) {
      await request.expect(404);
    }
    expect(await names('tag=gone')).toEqual([]);
    expect((await list('tag=gone&status=archived')).items).toEqual([
      expect.objectContaining({ id: bot.id, status: 'archived', version: 2 }),
    ]);
    await reaches(service, 'of-archived', 'completed');
  });

  test('keeps every version readable and restores an archived bot as paused', async () => {
    const bot = await create({ name: 'First', system_prompt: 'Be brief.', metadata: { a: '1' } });
    await api.patch(`/v1/bots/${bot.id}`, { name: 'Second', voice: { speed: 1.5 } }).expect(200);
    await api.delete(`/v1/bots/${bot.id}`).expect(200);
    const versions = async (query = '') =>
      (
        (await api.get(`/v1/bots/${bot.id}/versions${query}`).expect(200)).body as {
          data: { items: Bot[]; next_cursor: string | null };
        }
      ).data;
    const { items } = await versions();
    expect(items.map(({ version, name, status }) => [version, name, status])).toEqual([
      [3, 'Second', 'archived'],
      [2, 'Second', 'active'],
      [1, 'First', 'active'],
    ]);
    expect(items[2]).toEqual(bot);
    const { next_cursor } = await versions('?limit=2');
    expect((await versions(`?limit=2&cursor=${next_cursor}`)).items).toEqual([bot]);
    const restored = await api.post(`/v1/bots/${bot.id}/restore`, {}).expect(200);
    expect(restored.body).toMatchObject({ data: { name: 'Second', status: 'paused', version: 4 } });
    await api.post(`/v1/bots/${bot.id}/restore`, {}).expect(200);
    expect((await versions()).items).toHaveLength(4);
    await api.get(`/v1/bots/${bot.id}`).expect(200);
    await api.delete(`/v1/bots/${bot.id}?purge=true`).expect(200);
    await api.get(`/v1/bots/${bot.id}/versions`).expect(404);
    await api.post(`/v1/bots/${bot.id}/restore`, {}).expect(404);
  });

  test('purges a bot with everything under it, including copies in delivery logs', async () => {
    await recordEverything(service);
    const bot = await create({ name: 'Purged', system_prompt: 'a secret of the house' });
    const kept = await create({ name: 'Kept' });
    await send(service, [
      ...call('purged-1', bot.id),
      ...call('purged-2', bot.id),
      ...call('kept-1', kept.id),
    ]);
    await reaches(service, 'purged-1', 'completed');
    await api.delete(`/v1/bots/${bot.id}`).expect(200); // archived bots can be purged
    const body = (await api.delete(`/v1/bots/${bot.id}?purge=true`).expect(200)).body as unknown;
    expect((body as { data: object }).data).toEqual({ id: bot.id, deleted: true });
    for (const path of [
      '/v1/conversations/purged-1',
      '/v1/conversations/purged-2/transcript',
      `/v1/bots/${bot.id}`,
    ]) {
      await api.get(path).expect(404);
    }
    expect((await list('status=archived')).items.map(({ id }) => id)).not.toContain(bot.id);
    expect(await sentEvents(service, 'purged-1')).toEqual([]);
    const left = await service.deps.sql<{ count: number }>(
      `SELECT (SELECT count(*) FROM turns WHERE conversation_id LIKE 'purged-%')
         + (SELECT count(*) FROM conversation_events WHERE conversation_id LIKE 'purged-%')
         + (SELECT count(*) FROM bot_versions WHERE bot_id = $1)
         + (SELECT count(*) FROM webhook_events WHERE bot_id = $1) + (SELECT count(*) FROM bot_purges) AS count`,
      [bot.id],
    );
    expect(left).toEqual([{ count: 0 }]);
    expect((await readTranscript(service, 'kept-1')).turns).toHaveLength(3);
    expect((await sentEvents(service, 'kept-1')).length).toBeGreaterThan(0);
    await api.delete(`/v1/bots/${bot.id}?purge=true`).expect(404);
  });

  test('lets a worker finish a purge that its request did not finish', async () => {
    const ids = Array.from({ length: 450 }, (_, index) => `left-${index}`);
    await send(
      service,
      ids.map((id) => event('conversation.started', id, 0, {}, { bot_id: 'bot_left' })),
    );
    await service.deps.sql(
      `INSERT INTO bot_purges (organization_id, bot_id, requested_at) VALUES ('acme', 'bot_left', now())`,
    );
    const left = async () => {
      const rows = await service.deps.sql(
        `SELECT id FROM conversations WHERE bot_id = 'bot_left' UNION ALL SELECT bot_id FROM bot_purges LIMIT 1`,
      );
      return rows.length;
    };
    await eventually(async () => (await left()) === 0);
  });

  test('needs the scope delete, and admin to purge', async () => {
    const bot = await create({ name: 'Guarded' });
    const deleter = service.as(await service.issueKey('acme', ['delete']));
    const body = (await deleter.delete(`/v1/bots/${bot.id}?purge=true`).expect(403)).body as unknown;
    expect(body).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE' } });
    await api.get(`/v1/bots/${bot.id}`).expect(200);
    await deleter.delete(`/v1/bots/${bot.id}?purge=maybe`).expect(400);
    await deleter.delete(`/v1/bots/${bot.id}`).expect(200);
  });
});

describe('access', () => {
  test('each operation needs a credential with its scope', async () => {
    const bot = await create({ name: 'Scoped' });
    const requests = (client: ApiClient) => ({
      read: [client.get('/v1/bots'), client.get(`/v1/bots/${bot.id}`)],
      write: [
        client.post('/v1/bots', { name: 'Scoped' }),
        client.patch(`/v1/bots/${bot.id}`, { name: 'Scoped 2' }),
      ],
      delete: [client.delete('/v1/bots/bot_nobody')],
    });
    for (const scope of ['read', 'write', 'delete'] as const) {
      const by = requests(service.as(await service.issueKey('acme', [scope])));
      for (const [needed, all] of Object.entries(by)) {
        for (const request of all) {
          const { status } = await request;
          if (needed === scope) expect([200, 201, 404]).toContain(status);
          else expect(status).toBe(403);
        }
      }
    }
    for (const request of Object.values(requests(service.as('nonsense'))).flat()) await request.expect(401);
  });

  test('another organisation has no access', async () => {
    const bot = await create({ name: 'Mine' });
    const other = service.as(await service.issueKey('globex'));
    await other.get(`/v1/bots/${bot.id}`).expect(404);
    await other.patch(`/v1/bots/${bot.id}`, { name: 'Theirs' }).expect(404);
    await other.delete(`/v1/bots/${bot.id}`).expect(404);
    await other.delete(`/v1/bots/${bot.id}?purge=true`).expect(404);
    const body = (await other.get('/v1/bots').expect(200)).body as unknown;
    expect((body as { data: { items: Bot[] } }).data.items).toEqual([]);
    const named = (await other.post('/v1/bots', { name: 'x', organization_id: 'acme' }).expect(403))
      .body as unknown;
    expect(named).toMatchObject({ error: { code: 'ORGANIZATION_MISMATCH' } });
  });
});

describe('PUT', () => {
  const put = (id: string, body: object) => api.put(`/v1/bots/${id}`, body);
  const botOf = ({ body }: { body: unknown }) => (body as { data: Bot }).data;

  test('creates one bot, and an equal body leaves it as it is', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => put('support-line', whole)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const again = await put('support-line', whole).expect(200);
    expect(botOf(again)).toMatchObject({ ...whole, id: 'support-line', version: 1 });
    expect(botOf(await api.get('/v1/bots/support-line').expect(200))).toEqual(botOf(again));
  });

  test('replaces: absent members get their defaults, and an archived bot returns', async () => {
    await put('replaced', whole).expect(201);
    const changed = botOf(await put('replaced', { name: 'Plain' }).expect(200));
    expect(changed).toMatchObject({ name: 'Plain', version: 2, status: 'active', tags: [], flow_id: null });
    await put('replaced', { name: 'Late' }).set('if-match', '"1"').expect(412);
    await put('none', { name: 'Late' }).set('if-match', '*').expect(412);
    await api.delete('/v1/bots/replaced').expect(200);
    const restored = botOf(await put('replaced', { name: 'Plain' }).expect(200));
    expect(restored).toMatchObject({ name: 'Plain', version: 4, status: 'active' });
  });

  test('refuses ids that are ours or cannot be in a path, and a bot that is being purged', async () => {
    await put('bot_none', { name: 'x' }).expect(404);
    await put('a%2Fb', { name: 'x' }).expect(400);
    await put('purged', { name: 'x' }).expect(201);
    const { organization_id: organization } = (
      await service.deps.sql<{ organization_id: string }>(
        `INSERT INTO bot_purges (organization_id, bot_id, requested_at)
         SELECT organization_id, id, now() + interval '1 hour' FROM bots WHERE id = 'purged' RETURNING organization_id`,
      )
    )[0]!;
    await service.deps.sql('DELETE FROM bots WHERE organization_id = $1 AND id = $2', [
      organization,
      'purged',
    ]);
    await put('purged', { name: 'x' }).expect(409);
  });
});
