// POST /v1/flows/{flow_id}/replay over HTTP (docs/why.md#replay).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ages, recorded } from './explain.ts';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await flows.api.post('/v1/flows', { flow_id: 'ages', definition: ages() }).expect(201);
  await flows.api.patch('/v1/flows/ages', { definition: ages('lt') }).expect(200);
});
afterAll(() => flows.stop());

const first = { flowId: 'ages', version: 1 };
const replay = (body: object) => flows.api.post('/v1/flows/ages/replay', body);

describe('replay', () => {
  test.each(['pinned', 'free'])(
    '%s: the same on the version that ran, the difference on the next',
    async (mode) => {
      const turns = recorded(first, ages(), [null, '18']);
      expect((await replay({ version: 1, turns, mode }).expect(200)).body).toMatchObject({
        flow_id: 'ages',
        version: 1,
        mode,
        same: 2,
        different: 0,
        stopped: 0,
        turns: [
          { recorded: { session_id: 'call-1', turn: 1 }, same: true, exact: true, differences: [] },
          {},
        ],
      });
      const body = (await replay({ turns, mode }).expect(200)).body as object;
      expect(body).toMatchObject({ version: 2, same: 1, different: 1 });
      expect((body as { turns: unknown[] }).turns[1]).toMatchObject({
        same: false,
        differences: [{ what: 'messages', before: ['Hello child'], after: ['Hello adult'] }],
        trace: [{ node_id: 'ask_age', decided_by: 'default' }, {}],
      });
    },
  );

  test('a definition that was never stored, with the trace of every turn', async () => {
    const turns = recorded(first, ages(), [null, '17']);
    const body = (await replay({ definition: ages('lt'), turns, trace: true }).expect(200)).body as object;
    expect(body).toMatchObject({ version: null, same: 2, turns: [{ trace: [{}] }, { trace: [{}, {}] }] });
    expect((await replay({ turns }).expect(200)).body).not.toHaveProperty('turns.0.trace');
  });

  test('the maximum number of turns runs on a thread, and more are refused', async () => {
    const conversation = (at: number) => recorded(first, ages(), [null, String(at % 40)], `call-${at}`);
    const turns = Array.from({ length: 500 }, (_, at) => conversation(at)).flat();
    const body = (await replay({ turns, mode: 'free' }).expect(200)).body as object;
    expect(body).toMatchObject({ same: 987, different: 13, stopped: 0 });
    await replay({ turns: [...turns, ...conversation(0)] }).expect(400);
  });

  test('malformed turns are reported by place, and a version with a definition is refused', async () => {
    const [turn] = recorded(first, ages(), [null]);
    const body = (await replay({ turns: [turn, { ...turn, now: 'then' }] }).expect(400)).body as object;
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/turns/1/now' }] });
    await replay({ turns: [turn], version: 1, definition: ages() }).expect(400);
    await replay({ turns: [turn], definition: { nodes: 1 } }).expect(400);
    await replay({ turns: [turn], version: 9 }).expect(404);
    await flows.api.post('/v1/flows/none/replay', { turns: [turn] }).expect(404);
  });
});
