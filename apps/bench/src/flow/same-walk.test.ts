import { describe, expect, test } from '@jest/globals';
import { validateFlow } from '@parley/flow-analysis';
import { benchFlow, benchTurns } from './bench-flow.ts';
import { benchModel, compiledBenchFlow } from './parley-walk.ts';
import { refuseDifference, saidBy } from './same-walk.ts';
import { xstateWalk } from './xstate-walk.ts';

describe('the bench flow', () => {
  test.each([50, 1_000, 5_000, 10_000])('has exactly %d nodes and no error', (nodes) => {
    expect(benchFlow(nodes).nodes).toHaveLength(nodes);
    expect(validateFlow(benchModel(nodes), { stepsMax: 200 }).errors).toEqual([]);
  });

  test('is asked with 27 variables and the counter in about 2 KB, by every way out of a branch', () => {
    const flow = compiledBenchFlow(50);
    for (const turn of benchTurns()) {
      expect(Object.keys(turn.variables)).toHaveLength(27 + 1);
      const bytes = JSON.stringify(turn).length;
      expect([bytes > 1_900, bytes < 2_200]).toEqual([true, true]);
    }
    const ways = benchTurns(1).map((turn) => saidBy(flow, turn).nextNode);
    expect(ways).toEqual(['ask_2', 'ask_3', 'ask_5', 'ask_1']);
  });
});

describe('refuseDifference', () => {
  test('the machine walks as the flow does', () => {
    refuseDifference(compiledBenchFlow(50), xstateWalk(50), benchTurns());
  });

  test('a walk that answers anything else is refused', () => {
    const walk = xstateWalk(50);
    const flow = compiledBenchFlow(50);
    const turns = benchTurns(1);
    expect(() => refuseDifference(flow, (turn) => ({ ...walk(turn), nextNode: 'ask_9' }), turns)).toThrow(
      'differ',
    );
    expect(() => refuseDifference(flow, (turn) => ({ ...walk(turn), texts: [] }), turns)).toThrow('differ');
    expect(() => refuseDifference(flow, (turn) => ({ ...walk(turn), variables: {} }), turns)).toThrow(
      'differ',
    );
  });
});
