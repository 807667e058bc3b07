// Turns in this process (docs/performance.md#engine): against XState, against the JSON around them,
// and in a flow a hundred times larger.
import { turnResultToWire } from '@parley/flow-engine';
import { inProcess } from '../in-process.ts';
import type { Part } from '../suites.ts';
import { benchTurns, blocksOf, type BenchTurn } from './bench-flow.ts';
import { compiledBenchFlow, parleyWalk } from './parley-walk.ts';
import { refuseDifference } from './same-walk.ts';
import { xstateWalk } from './xstate-walk.ts';

const NODES = 50;
const NODES_MANY = 5_000;
const WINDOW_SECONDS = 0.4;

export const turnPart: Part = {
  title: 'turns in process',
  open: async (_setting, measure) => {
    const small = compiledBenchFlow(NODES);
    const large = compiledBenchFlow(NODES_MANY);
    const turns = benchTurns();
    const everywhere = benchTurns(blocksOf(NODES_MANY));
    const xstate = xstateWalk(NODES);
    refuseDifference(small, xstate, turns);

    const walk = (flow: typeof small, from: readonly BenchTurn[]) => (call: number) =>
      parleyWalk(flow, from[call % from.length]!).steps;

    await measure({
      title: `Stateless turn in process, ${NODES} nodes, 27 variables`,
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [
        inProcess('Parley walkTurn', walk(small, turns)),
        inProcess(
          'XState 5 resolveState + transition',
          (call) => xstate(turns[call % turns.length]!).texts.length,
        ),
      ],
      ratios: [
        { of: 'rate', over: 'Parley walkTurn', under: 'XState 5 resolveState + transition', atLeast: 40 },
      ],
      note: `both walks answer ${turns.length} turns alike: next node, texts and variables`,
    });

    const requests = turns.map((turn) => JSON.stringify(turn));
    const withTurn = (call: number): number => {
      const turn = JSON.parse(requests[call % requests.length]!) as BenchTurn;
      return JSON.stringify(turnResultToWire(parleyWalk(small, turn))).length;
    };
    const jsonAlone = (call: number): number =>
      JSON.stringify(JSON.parse(requests[call % requests.length]!)).length;
    await measure({
      title: 'A turn with its JSON, request and result of 2 KB',
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [
        inProcess('JSON.parse + turn + JSON.stringify', withTurn),
        inProcess('JSON.parse + JSON.stringify alone', jsonAlone),
      ],
      ratios: [
        {
          of: 'rate',
          over: 'JSON.parse + turn + JSON.stringify',
          under: 'JSON.parse + JSON.stringify alone',
          atLeast: 0.75,
        },
      ],
      note: `request ${requests[3]!.length} characters, result ${withTurn(3)}`,
    });

    await measure({
      title: `The same turn in a flow of ${NODES} and of ${NODES_MANY} nodes`,
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [
        inProcess(`${NODES} nodes`, walk(small, turns)),
        inProcess(`${NODES_MANY} nodes, the same turns`, walk(large, turns)),
        inProcess(`${NODES_MANY} nodes, turns at every node`, walk(large, everywhere)),
      ],
      ratios: [
        { of: 'time', over: `${NODES_MANY} nodes, the same turns`, under: `${NODES} nodes`, atMost: 1.2 },
        { of: 'time', over: `${NODES_MANY} nodes, turns at every node`, under: `${NODES} nodes` },
      ],
      note: `turns at every node: ${everywhere.length} turns one after the other, so that the whole flow passes through the caches`,
    });
  },
};
