// Creates, reads, lists, changes, publishes and validates flows; every endpoint with its errors
// (docs/flow-language.md#store).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { applyPatch, type Operation } from 'rfc6902';
import { broken, greeting, greetingThatEnds, startFlowBuilder, type FlowBuilder } from '../service.ts';

interface Problem {
  code: string;
  errors: { path: string }[];
}

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const problem = (response: { body: unknown }) => response.body as Problem;

test.each(['.', '..', '...', '%2e%2e', 'a/b', 'a b', 'a#b'])('a flow cannot be called %j', async (id) => {
  for (const path of ['/v1/flows', '/v1/flows/any/duplicate']) {
    const refused = await flows.api.post(path, {
      flow_id: id,
      ...(path === '/v1/flows' && { definition: greeting }),
    });
    expect([refused.status, problem(refused).errors]).toMatchObject([400, [{ path: '/flow_id' }]]);
  }
});

test('older flows and tests with names of dots can be read and deleted', async () => {
  const organization = 'older';
  const api = flows.as(await flows.issueKey(organization));
  await api.post('/v1/flows', { flow_id: 'plain', definition: greeting }).expect(201);
  await api.put('/v1/flows/plain/tests/one', { turns: [{ expect: {} }] }).expect(201);
  await flows.deps.sql(`UPDATE flow_tests SET name = '...' WHERE organization_id = $1`, [organization]);
  await api.get('/v1/flows/plain/tests/...').expect(200);
  await api.delete('/v1/flows/plain/tests/...').expect(200);
  await api.get('/v1/flows/plain').expect(200);
});

describe.each(['/v1', '/product/v1'])('create on %s', (face) => {
  test('a new flow answers 201 with Location and version 1', async () => {
    const response = await flows.api
      .post(`${face}/flows`, { name: 'Greeting', definition: greeting })
      .expect(201);
    expect(response.body).toMatchObject({
      flow_id: expect.stringMatching(/^flow_[0-9a-z]{26}$/),
      name: 'Greeting',
      version: 1,
      latest_version: 1,
      definition: greeting,
      validation: { valid: true, errors: [] },
      published_version: null,
      is_draft: true,
      is_published: false,
    });
    const { flow_id: flowId, etag, created_at: createdAt } = response.body as Record<string, string>;
    expect(response.headers['location']).toBe(`/v1/flows/${flowId}`);
    expect(response.headers['etag']).toBe(etag);
    expect(Number(createdAt)).toBeCloseTo(Date.now() / 1000, -1);
  });
});

describe('create', () => {
  test('flow_id is an idempotent key: the same again is 200, another is 409', async () => {
    const request = { flow_id: 'same', name: 'Same', definition: greeting };
    await flows.api.post('/v1/flows', request).expect(201);
    await flows.api.post('/v1/flows', request).expect(200);
    const other = await flows.api
      .post('/v1/flows', { ...request, definition: greetingThatEnds('x') })
      .expect(409);
    expect(problem(other).code).toBe('flow_exists');
    await flows.api.post('/v1/flows', { ...request, name: 'Other' }).expect(409);
  });

  test('the same version 1 still answers after later versions, with the stored flow', async () => {
    const request = { flow_id: 'moved-on', definition: greeting };
    await flows.api.post('/v1/flows', request).expect(201);
    await flows.api.patch('/v1/flows/moved-on', { name: 'Renamed' }).expect(200);
    const again = await flows.api.post('/v1/flows', request).expect(200);
    expect(again.body).toMatchObject({ version: 2, name: 'Renamed' });
  });

  test('two creates of one flow at once make one flow', async () => {
    const request = { flow_id: 'race', definition: greeting };
    const answers = await Promise.all(Array.from({ length: 10 }, () => flows.api.post('/v1/flows', request)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
  });

  test('the definition’s flow_id is the default', async () => {
    const definition = { flow_id: 'named-inside', name: ' From inside ', ...greeting };
    const response = await flows.api.post('/v1/flows', { definition }).expect(201);
    expect(response.body).toMatchObject({ flow_id: 'named-inside', name: 'From inside', definition });
  });

  test('every member of the definition is returned in its order', async () => {
    const definition = { zebra: { b: 1, a: [null, 1.5, 'ü'] }, ...greeting, layout: { x: -1 } };
    const response = await flows.api.post('/v1/flows', { flow_id: 'round-trip', definition }).expect(201);
    const fetched = await flows.api.get('/v1/flows/round-trip').expect(200);
    for (const body of [response.body, fetched.body]) {
      expect(JSON.stringify((body as { definition: unknown }).definition)).toBe(JSON.stringify(definition));
    }
  });

  test.each([
    ['no definition', { name: 'x' }, '/definition'],
    ['a definition that is no object', { definition: [] }, '/definition'],
    ['nodes that are no list', { definition: { nodes: {} } }, '/definition/nodes'],
    ['a node without id', { definition: { nodes: [{ type: 'end' }] } }, '/definition/nodes/0/id'],
    ['an id that is none', { definition: { nodes: [{ id: 'a b', type: 'end' }] } }, '/definition/nodes/0/id'],
    [
      'a member of the wrong type',
      { definition: { nodes: [{ id: 'a', type: 'end', text: 5 }] } },
      '/definition/nodes/0/text',
    ],
    ['an unknown member', { definition: greeting, colour: 'red' }, '/colour'],
    ['a flow_id that is none', { flow_id: 'no spaces', definition: greeting }, '/flow_id'],
    ['a reserved flow_id', { flow_id: 'constructor', definition: greeting }, '/flow_id'],
    ['an empty name', { name: '  ', definition: greeting }, '/name'],
  ])('refuses %s with its place', async (_, body, path) => {
    const response = await flows.api.post('/v1/flows', body).expect(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(problem(response).code).toBe('invalid_request');
    expect(problem(response).errors.map((error) => error.path)).toContain(path);
  });

  test('refuses a definition with errors, with the validation, and stores nothing', async () => {
    const response = await flows.api.post('/v1/flows', { flow_id: 'broken', definition: broken }).expect(422);
    expect(response.body).toMatchObject({
      code: 'flow_has_errors',
      validation: { valid: false, errors: [{ code: 'edge_target_unknown', path: '/edges/2/target' }] },
    });
    await flows.api.get('/v1/flows/broken').expect(404);
  });

  test('refuses a definition beyond a limit, with the limit’s name', async () => {
    const nodes = Array.from({ length: 10_001 }, (_, index) => ({ id: `n${index}`, type: 'end' }));
    const response = await flows.api.post('/v1/flows', { definition: { nodes, edges: [] } }).expect(422);
    expect(response.body).toMatchObject({
      code: 'limit_exceeded',
      errors: [{ code: 'nodesMax', path: '/definition/nodes' }],
    });
  });

  test('accepts a body of up to 2 MiB', async () => {
    const notes = 'x'.repeat(1_500_000);
    await flows.api.post('/v1/flows', { definition: { ...greeting, notes } }).expect(201);
    const larger = { definition: { ...greeting, notes: 'x'.repeat(2 * 1024 * 1024) } };
    expect(problem(await flows.api.post('/v1/flows', larger).expect(413)).code).toBe('payload_too_large');
  });

  test('an Idempotency-Key answers the repeat, and refuses another body', async () => {
    const send = (name: string) =>
      flows.api.post('/v1/flows', { name, definition: greeting }).set('idempotency-key', 'create-1');
    const first = await send('Once').expect(201);
    const again = await send('Once').expect(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(problem(await send('Twice').expect(422)).code).toBe('idempotency_mismatch');
  });
});

describe('change', () => {
  test('a PATCH appends an immutable version; the old one stays', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'change', name: 'A', definition: greeting }).expect(201);
    const second = await flows.api
      .patch('/v1/flows/change', { definition: greetingThatEnds('See you.'), note: 'friendlier' })
      .expect(200);
    expect(second.body).toMatchObject({ version: 2, latest_version: 2, name: 'A' });
    expect((await flows.api.get('/v1/flows/change?version=1')).body).toMatchObject({
      version: 1,
      definition: greeting,
    });
    const ledger = await flows.api.get('/v1/flows/change/versions').expect(200);
    expect(ledger.body).toMatchObject({
      items: [
        { version: 2, is_draft: true, is_published: false, note: 'friendlier' },
        { version: 1, is_draft: true },
      ],
      next_cursor: null,
    });
  });

  test('content equal to the latest makes no version', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'equal', name: 'A', definition: greeting }).expect(201);
    for (const body of [{}, { name: 'A' }, { definition: greeting }]) {
      expect((await flows.api.patch('/v1/flows/equal', body).expect(200)).body).toMatchObject({ version: 1 });
    }
  });

  test('a definition with errors is stored as a draft with its validation', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'draft', definition: greeting }).expect(201);
    const draft = await flows.api.patch('/v1/flows/draft', { definition: broken }).expect(200);
    expect(draft.body).toMatchObject({ version: 2, validation: { valid: false } });
    expect(problem(await flows.api.post('/v1/flows/draft/publish').expect(422)).code).toBe('flow_has_errors');
    await flows.api.post('/v1/flows/draft/publish', { version: 1 }).expect(200);
  });

  test('base_version and If-Match refuse stale changes', async () => {
    const created = await flows.api.post('/v1/flows', { flow_id: 'stale', definition: greeting }).expect(201);
    const { etag } = created.headers as { etag: string };
    const patch = (body: object) => flows.api.patch('/v1/flows/stale', body);
    await patch({ name: 'B' }).set('if-match', etag).expect(200);
    expect(problem(await patch({ name: 'C' }).set('if-match', etag).expect(412)).code).toBe('stale_version');
    expect(problem(await patch({ name: 'C', base_version: 1 }).expect(412)).code).toBe('stale_version');
    await patch({ name: 'C', base_version: 2 }).expect(200);
    await patch({ name: 'D' }).set('if-match', '*').expect(200);
    await flows.api.delete('/v1/flows/stale/publish').set('if-match', etag).expect(412);
  });

  test('50 simultaneous PATCHes give 50 consecutive versions', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'busy', name: 'v1', definition: greeting }).expect(201);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        flows.api.patch('/v1/flows/busy', { name: `change ${index}` }),
      ),
    );
    const versions = answers
      .map((answer) => (answer.body as { version: number }).version)
      .sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  });

  test('refuses a malformed definition and an unknown flow', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'patched', definition: greeting }).expect(201);
    const wrong = await flows.api.patch('/v1/flows/patched', { definition: { nodes: 1 } }).expect(400);
    expect(problem(wrong).errors).toMatchObject([{ path: '/definition/nodes' }]);
    await flows.api.patch('/v1/flows/patched', { version: 7 }).expect(400);
    await flows.api.patch('/v1/flows/none', { name: 'x' }).expect(404);
  });
});

describe('publish', () => {
  test('moves the pointer forth and back, clears it, and logs who did it', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'live', definition: greeting }).expect(201);
    await flows.api.patch('/v1/flows/live', { name: 'Two' }).expect(200);
    const published = await flows.api.post('/v1/flows/live/publish').expect(200);
    expect(published.body).toMatchObject({ flow_id: 'live', latest_version: 2, published_version: 2 });
    await flows.api.post('/v1/flows/live/publish', { version: 1 }).expect(200);
    expect((await flows.api.get('/v1/flows/live')).body).toMatchObject({
      version: 2,
      is_draft: true,
      published_version: 1,
    });
    expect((await flows.api.get('/v1/flows/live?version=published')).body).toMatchObject({
      version: 1,
      is_published: true,
    });

    for (const _ of ['first', 'again']) {
      const cleared = await flows.api.delete('/v1/flows/live/publish').expect(200);
      expect(cleared.body).toMatchObject({ published_version: null, published_at: null });
    }
    await flows.api.get('/v1/flows/live?version=published').expect(404);
    const log = await flows.api.get('/v1/flows/live/publications').expect(200);
    expect((log.body as { items: { version: number }[] }).items.map((item) => item.version)).toEqual([
      null,
      1,
      2,
    ]);
  });

  test('refuses an unknown version and an unknown flow', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'short', definition: greeting }).expect(201);
    await flows.api.post('/v1/flows/short/publish', { version: 9 }).expect(404);
    await flows.api.post('/v1/flows/short/publish', { version: 0 }).expect(400);
    await flows.api.post('/v1/flows/none/publish').expect(404);
  });
});

describe('duplicate', () => {
  test('makes a new flow at version 1, unpublished, and leaves the original', async () => {
    await flows.api
      .post('/v1/flows', { flow_id: 'origin', name: 'Origin', definition: greeting })
      .expect(201);
    await flows.api.post('/v1/flows/origin/publish').expect(200);
    await flows.api.patch('/v1/flows/origin', { definition: broken }).expect(200);
    const draft = await flows.api.post('/v1/flows/origin/duplicate').expect(201);
    expect(draft.body).toMatchObject({
      version: 1,
      name: 'Origin',
      definition: broken,
      published_version: null,
    });
    const first = await flows.api
      .post('/v1/flows/origin/duplicate', { flow_id: 'copy', name: 'Copy', version: 1 })
      .expect(201);
    expect(first.body).toMatchObject({ flow_id: 'copy', version: 1, name: 'Copy', definition: greeting });
    expect(first.headers['location']).toBe('/v1/flows/copy');
    expect((await flows.api.get('/v1/flows/origin')).body).toMatchObject({
      version: 2,
      published_version: 1,
    });
  });

  test('refuses an existing id and an unknown original', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'taken', definition: greeting }).expect(201);
    const refused = await flows.api.post('/v1/flows/taken/duplicate', { flow_id: 'taken' }).expect(409);
    expect(problem(refused).code).toBe('flow_exists');
    await flows.api.post('/v1/flows/none/duplicate').expect(404);
    await flows.api.post('/v1/flows/taken/duplicate', { version: 5 }).expect(404);
  });
});

describe('diff', () => {
  test('two versions: sentences, structure, and a patch that gives the newer one', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'differ', name: 'Old', definition: greeting }).expect(201);
    const changed = greetingThatEnds('See you, {{ name }}.');
    await flows.api.patch('/v1/flows/differ', { name: 'New', definition: changed }).expect(200);
    const response = await flows.api.get('/v1/flows/differ/diff').expect(200);
    expect(response.body).toMatchObject({
      from: 1,
      to: 2,
      identical: false,
      metadata: [{ path: '/name', before: 'Old', after: 'New' }],
      nodes: { added: [], removed: [], changed: [{ id: 'bye' }] },
      edges: { added: [], removed: [], changed: [], moved: [] },
    });
    const { summary, patch } = response.body as { summary: string[]; patch: Operation[] };
    expect(summary[0]).toBe('Renamed the flow from "Old" to "New".');
    const definition = structuredClone(greeting);
    expect(applyPatch(definition, patch)).toEqual(patch.map(() => null));
    expect(definition).toEqual(changed);
  });

  test('starts from the published version by default', async () => {
    await flows.api.post('/v1/flows/differ/publish').expect(200);
    expect((await flows.api.get('/v1/flows/differ/diff').expect(200)).body).toMatchObject({
      from: 2,
      to: 2,
      identical: true,
      patch: [],
    });
    expect((await flows.api.get('/v1/flows/differ/diff?from=2&to=1')).body).toMatchObject({
      from: 2,
      to: 1,
      identical: false,
    });
    await flows.api.get('/v1/flows/differ/diff?from=7').expect(404);
    await flows.api.get('/v1/flows/differ/diff?from=latest').expect(400);
    await flows.api.get('/v1/flows/none/diff').expect(404);
  });
});

describe('validate', () => {
  test('an inline definition needs no flow; it is always 200 with the analysis', async () => {
    const good = await flows.api.post('/v1/flows/none/validate', { definition: greeting }).expect(200);
    expect(good.body).toMatchObject({ valid: true, stats: { nodes: 3, edges: 2, max_steps_per_turn: 2 } });
    const bad = await flows.api.post('/v1/flows/none/validate', { definition: broken }).expect(200);
    expect(bad.body).toMatchObject({
      valid: false,
      errors: [{ code: 'edge_target_unknown', path: expect.anything() }],
    });
  });

  test('without a definition it analyses the stored flow or a version', async () => {
    await flows.api.post('/v1/flows', { flow_id: 'checked', definition: greeting }).expect(201);
    await flows.api.patch('/v1/flows/checked', { definition: broken }).expect(200);
    expect((await flows.api.post('/v1/flows/checked/validate').expect(200)).body).toMatchObject({
      valid: false,
    });
    expect((await flows.api.post('/v1/flows/checked/validate?version=1').expect(200)).body).toMatchObject({
      valid: true,
    });
    await flows.api.post('/v1/flows/checked/validate?version=3').expect(404);
    await flows.api.post('/v1/flows/none/validate').expect(404);
    await flows.api.post('/v1/flows/none/validate', { definition: { nodes: 'x' } }).expect(400);
  });
});

describe('list', () => {
  test('pages of heads, newest first, stable under inserts', async () => {
    const key = await flows.issueKey('lister');
    const api = flows.as(key);
    for (let index = 0; index < 5; index += 1) {
      await api
        .post('/v1/flows', { flow_id: `page-${index}`, name: `Page ${index}%`, definition: greeting })
        .expect(201);
    }
    const first = (await api.get('/v1/flows?limit=2').expect(200)).body as {
      items: object[];
      next_cursor: string;
    };
    expect(first.items).toMatchObject([{ flow_id: 'page-4' }, { flow_id: 'page-3' }]);
    expect(Object.keys(first.items[0]!).sort()).toEqual([
      'created_at',
      'flow_id',
      'latest_version',
      'name',
      'updated_at',
    ]);
    await api.post('/v1/flows', { flow_id: 'late', definition: greeting }).expect(201);
    const second = (await api.get(`/v1/flows?limit=9&cursor=${first.next_cursor}`)).body as {
      items: object[];
    };
    expect(second).toMatchObject({
      items: [{ flow_id: 'page-2' }, { flow_id: 'page-1' }, { flow_id: 'page-0' }],
      next_cursor: null,
    });

    await api.post('/v1/flows/page-1/publish').expect(200);
    const ids = async (query: string) =>
      ((await api.get(`/v1/flows?${query}`).expect(200)).body as { items: { flow_id: string }[] }).items.map(
        (item) => item.flow_id,
      );
    expect(await ids('published=true')).toEqual(['page-1']);
    const broken = { ...greeting, edges: [{ source: 'nowhere', target: 'nowhere' }] };
    await api.patch('/v1/flows/page-1', { definition: broken }).expect(200);
    const { validation } = (await api.get('/v1/flows/page-1')).body as {
      validation: { errors: object[]; warnings: object[] };
    };
    expect(validation.errors).not.toEqual([]);
    const { items } = (await api.get('/v1/flows?state=true&q=page&limit=4').expect(200)).body as {
      items: object[];
    };
    const problems = { errors: validation.errors.length, warnings: validation.warnings.length };
    expect(items).toMatchObject([
      { flow_id: 'page-4', published_version: null, published_at: null, published_by: null },
      { flow_id: 'page-3', problems: { errors: 0 } },
      { flow_id: 'page-2' },
      {
        flow_id: 'page-1',
        latest_version: 2,
        published_version: 1,
        published_at: expect.any(Number),
        problems,
      },
    ]);
    expect(items[3]).toMatchObject({ published_by: expect.stringMatching(/^key_/) });
    expect(await ids('q=PAGE%203%25')).toEqual(['page-3']);
    expect(await ids('q=_')).toEqual([]);
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'published=maybe', 'colour=red'])(
    'refuses ?%s',
    async (query) => {
      expect(problem(await flows.api.get(`/v1/flows?${query}`).expect(400)).code).toBe('invalid_request');
    },
  );
});
