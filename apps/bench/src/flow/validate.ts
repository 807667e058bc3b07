// Validation of ten times as many nodes (docs/performance.md#benches): it must take time in
// proportion, or the largest flow stops a service.
import { validateFlow } from '@parley/flow-analysis';
import { parseFlow } from '@parley/flow-engine';
import { inProcess } from '../in-process.ts';
import type { Part } from '../suites.ts';
import { benchFlow } from './bench-flow.ts';
import { benchModel } from './parley-walk.ts';

const FEW = 1_000;
const MANY = 10_000;
/** A validation of the larger flow takes a good part of a second. */
const WINDOW_SECONDS = 1.5;
const options = { stepsMax: 200 };

export const validatePart: Part = {
  title: 'validation',
  open: async (_setting, measure) => {
    const validating = (nodes: number) => {
      const model = benchModel(nodes);
      return () => validateFlow(model, options).stats.reachable;
    };
    const parsing = (nodes: number) => {
      const definition = JSON.parse(JSON.stringify(benchFlow(nodes))) as unknown;
      return () => {
        const parsed = parseFlow(definition);
        if (!parsed.ok) throw new Error('the bench flow is refused');
        return validateFlow(parsed.flow, options).stats.reachable;
      };
    };
    for (const [what, work] of [
      ['validate', validating],
      ['parse and validate', parsing],
    ] as const) {
      await measure({
        title: `${what}: ${MANY} nodes and ${FEW} nodes`,
        operation: 'validation',
        windowSeconds: WINDOW_SECONDS,
        variants: [inProcess(`${FEW} nodes`, work(FEW)), inProcess(`${MANY} nodes`, work(MANY))],
        ratios: [{ of: 'time', over: `${MANY} nodes`, under: `${FEW} nodes`, atMost: 12 }],
      });
    }
  },
};
