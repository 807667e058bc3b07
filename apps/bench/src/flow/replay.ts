// What explaining costs (docs/why.md): a turn recorded and a turn replayed against the turn alone,
// and tests made for ten times as many nodes.
import { generateTests, recordTurn, startReplay } from '@parley/flow-analysis';
import { inProcess } from '../in-process.ts';
import type { Measured } from '../harness.ts';
import type { Part } from '../suites.ts';
import { benchTurns } from './bench-flow.ts';
import { compiledBenchFlow, parleyInput, parleyWalk } from './parley-walk.ts';

const NODES = 50;
const FEW = 1_000;
const MANY = 10_000;
const WINDOW_SECONDS = 0.4;
/** Making the tests of the larger flow takes seconds. */
const GENERATED_WINDOW_SECONDS = 3;
const REPLAYED_PER_SECOND_MIN = 200_000;
const FEW_SECONDS_MAX = 2;
const MANY_SECONDS_MAX = 30;
const of = { flowId: 'bench', version: 1 };

export const replayPart: Part = {
  title: 'replay in process',
  open: async (_setting, measure, tell) => {
    const flow = compiledBenchFlow(NODES);
    const turns = benchTurns();
    const recorded = turns.map((turn) =>
      recordTurn(of, flow.model, parleyInput(turn), [], parleyWalk(flow, turn)),
    );
    const replay = startReplay(flow, { mode: 'pinned', of, recordedOn: () => flow.model });
    if (!recorded.every((turn) => replay(turn).same === true)) throw new Error('a replay differs');
    const at = <Item>(items: readonly Item[], call: number): Item => items[call % items.length]!;
    const turnsMeasured = await measure({
      title: `A turn, recorded and replayed, ${NODES} nodes, 27 variables`,
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [
        inProcess('the turn', (call) => parleyWalk(flow, at(turns, call)).steps),
        inProcess('the turn, recorded', (call) => {
          const turn = at(turns, call);
          return recordTurn(of, flow.model, parleyInput(turn), [], parleyWalk(flow, turn)).path.length;
        }),
        inProcess('the turn, replayed', (call) => (replay(at(recorded, call)).same === true ? 1 : 0)),
      ],
      ratios: [{ of: 'rate', over: 'the turn, replayed', under: 'the turn' }],
      note: 'replayed: walked, recorded once more, and compared member by member',
    });
    const generating = (nodes: number) => {
      const large = compiledBenchFlow(nodes);
      return () => generateTests(large).edges.taken;
    };
    const generated = await measure({
      title: `tests for every edge: ${MANY} nodes and ${FEW} nodes`,
      operation: 'generation',
      windowSeconds: GENERATED_WINDOW_SECONDS,
      variants: [inProcess(`${FEW} nodes`, generating(FEW)), inProcess(`${MANY} nodes`, generating(MANY))],
      ratios: [{ of: 'time', over: `${MANY} nodes`, under: `${FEW} nodes`, atMost: 15 }],
    });
    const perSecond = (measured: Measured, name: string) =>
      measured.variants.find((variant) => variant.name === name)!.perSecond;
    const seconds = (nodes: number) => 1 / perSecond(generated, `${nodes} nodes`);
    tell({
      title: 'Replay and generated tests, in process',
      figures: [
        {
          name: 'replayed',
          value: perSecond(turnsMeasured, 'the turn, replayed'),
          unit: 'turns a second',
          atLeast: REPLAYED_PER_SECOND_MIN,
        },
        { name: `tests for ${FEW} nodes`, value: seconds(FEW), unit: 's', atMost: FEW_SECONDS_MAX },
        { name: `tests for ${MANY} nodes`, value: seconds(MANY), unit: 's', atMost: MANY_SECONDS_MAX },
      ],
    });
  },
};
