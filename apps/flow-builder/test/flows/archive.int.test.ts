// Archived flows leave everything but the list, return unchanged when restored, and are purged in
// time.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { purgeArchived } from '../../src/flows/purge-archived.ts';
import { greeting, startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder({ RETENTION_DAYS: '30' });
});
afterAll(() => flows.stop());

const code = (response: { body: unknown }) => (response.body as { code: string }).code;
const create = (flow_id: string) =>
  flows.api.post('/v1/flows', { flow_id, definition: greeting }).expect(201);
const archive = (flow_id: string) => flows.api.delete(`/v1/flows/${flow_id}`).expect(200);
const restore = (flow_id: string) => flows.api.delete(`/v1/flows/${flow_id}?restore=true`);
const listed = async (query = '') =>
  ((await flows.api.get(`/v1/flows${query}`).expect(200)).body as { items: { flow_id: string }[] }).items.map(
    ({ flow_id }) => flow_id,
  );

describe('archive', () => {
  test('hides a flow from everything but the list of archived ones, and restore brings it back as it was', async () => {
    await create('gone');
    await create('stays');
    await flows.api.post('/v1/flows/gone/execute', {}).expect(200);
    expect((await archive('gone')).body).toMatchObject({ flow_id: 'gone', archived_at: expect.any(Number) });
    await archive('gone'); // already restored

    expect(await listed()).toEqual(['stays']);
    expect(await listed('?archived=true')).toEqual(['stays', 'gone']);
    for (const path of ['', '/versions', '/diagram', '/tests', '/publications'])
      await flows.api.get(`/v1/flows/gone${path}`).expect(404);
    await flows.api.post('/v1/flows/gone/execute', {}).expect(404);
    await flows.api.post('/v1/flows/gone/publish').expect(404);
    await flows.api.patch('/v1/flows/gone', { name: 'x' }).expect(404);
    const again = await flows.api.post('/v1/flows', { flow_id: 'gone', definition: greeting }).expect(409);
    expect([code(again), again.text]).toEqual(['flow_exists', expect.stringContaining('restore=true')]);

    expect((await restore('gone').expect(200)).body).not.toHaveProperty('archived_at');
    await restore('gone').expect(200);
    expect(await listed()).toEqual(['stays', 'gone']);
    await flows.api.post('/v1/flows/gone/execute', {}).expect(200);
    expect((await flows.api.get('/v1/audit-log?from=0')).body).toMatchObject({
      items: [
        { action: 'flow.restored', target: 'gone' },
        { action: 'flow.archived', target: 'gone' },
      ],
    });
  });

  test('is refused for a published flow, a stale tag and an unknown flow', async () => {
    await create('live');
    await flows.api.post('/v1/flows/live/publish').expect(200);
    expect(code(await flows.api.delete('/v1/flows/live').expect(409))).toBe('conflict');
    await flows.api.delete('/v1/flows/live/publish').expect(200);
    await flows.as(flows.key).delete('/v1/flows/live').set('if-match', '"9-none"').expect(412);
    await archive('live');
    await flows.api.delete('/v1/flows/never').expect(404);
    await flows
      .as(await flows.issueKey('other'))
      .delete('/v1/flows/live?restore=true')
      .expect(404);
  });
});

test('purge removes flows that were archived thirty days ago with all their rows, and nothing else', async () => {
  for (const id of ['old', 'young', 'there']) await create(id);
  await flows.api.put('/v1/flows/old/tests/t', { turns: [{ expect: {} }] }).expect(201);
  await flows.api.post('/v1/flows/old/publish').expect(200);
  await flows.api.delete('/v1/flows/old/publish').expect(200);
  for (const id of ['old', 'young']) await archive(id);
  await flows.deps.sql(
    `UPDATE flows SET archived_at = now() - make_interval(hours => CASE flow_id WHEN 'old' THEN 721 ELSE 719 END)
     WHERE flow_id IN ('old', 'young')`,
    [],
  );
  await restore('old').expect(404); // the purge may have begun
  await purgeArchived(flows.deps);
  for (const table of ['flows', 'flow_versions', 'flow_publications', 'flow_tests'])
    expect([table, await flows.deps.sql(`SELECT 1 FROM ${table} WHERE flow_id = 'old'`)]).toEqual([
      table,
      [],
    ]);
  expect((await flows.api.get('/v1/audit-log?from=0&action=flow.purged')).body).toMatchObject({
    items: [{ action: 'flow.purged', target: 'old', actor: { kind: 'operator' } }],
  });
  await restore('young').expect(200);
  await flows.api.get('/v1/flows/there').expect(200);
  await create('old');
});

test('zero days means no purge', async () => {
  await create('kept');
  await archive('kept');
  await flows.deps.sql("UPDATE flows SET archived_at = '2020-01-01' WHERE flow_id = 'kept'");
  const config = { ...flows.deps.config, RETENTION_DAYS: 0 };
  await purgeArchived({ ...flows.deps, config });
  expect(await listed('?archived=true')).toContain('kept');
});
