// The claims of validation hold for the real walk: tried on random flows with random conversations.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ValidationCode } from '../../src/index.ts';
import type { TurnResult } from '@parley/flow-engine';
import {
  check,
  comparisons,
  graph,
  playOut,
  cyclicFlow,
  turn,
  value,
  type CheckedFlow,
} from '../validation-flows.ts';

function items({ validation }: CheckedFlow, ...codes: ValidationCode[]) {
  const all = [...validation.errors, ...validation.warnings, ...validation.infos];
  return all.filter(({ code }) => codes.includes(code));
}

describe('the bound of a turn', () => {
  test('no walk from a node that can be reached, with any input, exceeds it', () => {
    let bounded = 0;
    fc.assert(
      fc.property(graph, fc.array(turn, { minLength: 4, maxLength: 8 }), ({ nodes, edges }, turns) => {
        const flow = check(nodes, edges);
        const { max_steps_per_turn: bound } = flow.validation.stats;
        if (bound === null) expect(items(flow, 'silent_cycle')).not.toEqual([]);
        if (bound === null) return;
        const lost = new Set(items(flow, 'unreachable_node').map(({ node_id: id }) => id));
        bounded += 1;
        for (const one of turns.filter(({ currentNode }) => !lost.has(currentNode ?? undefined))) {
          const result = playOut(flow.compiled, one);
          expect(result.kind === 'turn' ? result.steps : Infinity).toBeLessThanOrEqual(bound);
        }
      }),
      { numRuns: 300 },
    );
    expect(bounded).toBeGreaterThan(30);
  });

  test('is attained by a turn when all edges can be taken', () => {
    let bounded = 0;
    fc.assert(
      fc.property(graph, ({ nodes, edges }) => {
        // Every edge has a variable of its own, so that the variables choose any way through the
        // flow.
        const open = edges.map(({ source, target }, at) => ({
          source,
          target,
          variable: `e${at}`,
          op: 'is_true',
        }));
        // A limit of 0 makes validation show the longest turn.
        const flow = check(
          nodes.map(({ id, type, wait_for_result, returns, skip_if_set }) => ({
            id,
            type,
            variable: 'x',
            wait_for_result,
            returns,
            skip_if_set,
          })),
          open,
          0,
        );
        const { max_steps_per_turn: bound } = flow.validation.stats;
        if (bound === null) return;
        bounded += 1;
        const [{ witness = [] } = {}] = items(flow, 'bound_exceeds_limit');
        expect(witness).toHaveLength(bound);
        const taken = witness
          .slice(1)
          .map((id, at) => open.find(({ source, target }) => source === witness[at] && target === id)!);
        const chosen = Object.fromEntries(taken.map((edge) => [edge.variable, true]));
        // A question that may be skipped is, since its variable holds an answer.
        const variables = { ...chosen, x: 'yes' };
        const result = playOut(flow.compiled, {
          currentNode: witness[0] ?? null,
          userInput: 'yes',
          variables,
        });
        expect(result).toMatchObject({ kind: 'turn', steps: bound });
      }),
      { numRuns: 300 },
    );
    expect(bounded).toBeGreaterThan(20);
  });

  test('a cycle that is an error never settles, one that is a warning goes round', () => {
    const seen = { error: 0, warning: 0 };
    fc.assert(
      fc.property(
        fc.oneof(graph, cyclicFlow),
        fc.array(turn, { minLength: 3, maxLength: 3 }),
        ({ nodes, edges }, turns) => {
          const flow = check(nodes, edges);
          for (const { witness = [] } of flow.validation.errors.filter(
            ({ code }) => code === 'silent_cycle',
          )) {
            seen.error += 1;
            for (const one of turns) {
              // A pattern on the cycle may use up its budget before the steps are used up.
              const { kind } = playOut(flow.compiled, { ...one, currentNode: witness[0] ?? null });
              expect(['turn_did_not_settle', 'turn_too_costly']).toContain(kind);
            }
          }
          for (const { witness = [] } of items(flow, 'silent_cycle')) {
            seen.warning += 1;
            expect(witness.length).toBeGreaterThan(1);
            expect(witness.at(-1)).toBe(witness[0]);
            witness
              .slice(1)
              .forEach((target, at) =>
                expect(edges).toContainEqual(expect.objectContaining({ source: witness[at], target })),
              );
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(seen.error).toBeGreaterThan(5);
    expect(seen.warning).toBeGreaterThan(seen.error + 20);
  });
});

describe('edges that are never taken', () => {
  /** The edges that a traced turn took. */
  const taken = ({ trace }: TurnResult) => (trace ?? []).map(({ edgeIndex }) => edgeIndex);
  const deadEdges = (flow: CheckedFlow) =>
    items(flow, 'shadowed_edge', 'contradictory_edge').map((item) => item.edge_index);

  test('are never taken, for any value of the variable', () => {
    let dead = 0;
    let exhaustive = 0;
    const variable = fc.constantFrom('x', 'x', 'x', 'user_input');
    fc.assert(
      fc.property(
        comparisons(variable),
        fc.array(fc.tuple(value, value, fc.option(fc.constantFrom('', '5', 'abc', 'yes'))), {
          minLength: 20,
          maxLength: 20,
        }),
        (conditions, bags) => {
          const ends = conditions.map((_, at) => ({ id: `end${at}`, type: 'end' }));
          const edges = conditions.map((members, at) => ({ source: 'b', target: `end${at}`, ...members }));
          const flow = check([{ id: 'b', type: 'branch' }, ...ends], edges);
          const never = new Set(deadEdges(flow));
          const always = items(flow, 'missing_default').length === 0;
          dead += never.size;
          exhaustive += Number(always);
          for (const [x, y, userInput] of bags) {
            const result = playOut(flow.compiled, { variables: { x, y }, userInput }) as TurnResult;
            for (const edge of taken(result)) expect(never).not.toContain(edge);
            if (always) expect(result.status).toBe('completed');
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(dead).toBeGreaterThan(50);
    expect(exhaustive).toBeGreaterThan(2);
  });

  test("are never taken in a conversation, with the engine's knowledge of the answer", () => {
    let dead = 0;
    fc.assert(
      fc.property(graph, fc.array(turn, { minLength: 6, maxLength: 6 }), ({ nodes, edges }, turns) => {
        const flow = check(nodes, edges);
        const never = new Set(deadEdges(flow));
        dead += never.size;
        let variables = {};
        for (const one of turns) {
          const result = playOut(flow.compiled, { ...one, variables: { ...variables, ...one.variables } });
          if (result.kind !== 'turn') return;
          variables = result.variables;
          for (const edge of taken(result)) expect(never).not.toContain(edge);
        }
      }),
      { numRuns: 200 },
    );
    expect(dead).toBeGreaterThan(30);
  });
});

describe('variables', () => {
  /** Tools report the value of every variable, or "" for a missing one. */
  const telling = (nodes: readonly { readonly type: string }[]) =>
    nodes.map((node) => ({ ...node, tool: node.type, args: { x: '{{ x }}', y: '{{ y }}', z: '{{ z }}' } }));

  const seenByTools = ({ actions }: TurnResult) =>
    actions.flatMap((action) =>
      action.type === 'tool' ? Object.entries(action.args as Record<string, unknown>) : [],
    );

  /** The variables that the caller brings to the next turn, with the results of the tools. */
  const nextBag = ({ variables, actions }: TurnResult): Record<string, unknown> => {
    // A waiting tool gets its result with the next turn.
    const tools = actions.filter((action) => action.type === 'tool' && action.callId === undefined) as {
      outputVar: string | null;
    }[];
    const results = tools.map(({ outputVar }) => [outputVar ?? '', 'result'] as const);
    return { ...variables, ...Object.fromEntries(results) };
  };

  test('that validation proves set are set', () => {
    let set = 0;
    fc.assert(
      fc.property(graph, fc.array(turn, { minLength: 8, maxLength: 8 }), ({ nodes, edges }, turns) => {
        const first = { id: 'first', type: 'collect', variable: 'x', max_attempts: nodes[0]?.max_attempts };
        const flow = check(telling([first, ...nodes]), [{ source: 'first', target: 'a' }, ...edges]);
        const unset = items(flow, 'variable_maybe_unset', 'variable_never_set').map(({ message }) => message);
        let variables: Record<string, unknown> = {};
        let currentNode: string | null = null;
        for (const one of turns) {
          // A captured blank answer is set, and reads like a missing one.
          const userInput = one.userInput?.trim() === '' ? null : one.userInput;
          const input = { ...one, userInput, agentMode: 'in_process' as const, variables, currentNode };
          const result = playOut(flow.compiled, input);
          if (result.kind !== 'turn') return;
          for (const [name, seen] of seenByTools(result)) {
            if (unset.some((message) => message.startsWith(`"${name}"`))) continue;
            set += 1;
            expect({ name, seen }).not.toEqual({ name, seen: '' });
          }
          variables = nextBag(result);
          currentNode = result.nextNode;
          if (currentNode === null) return;
        }
      }),
      { numRuns: 500 },
    );
    expect(set).toBeGreaterThan(0);
  });

  test('that validation reports unset are unset on the path of the witness', () => {
    let unset = 0;
    fc.assert(
      fc.property(graph, ({ nodes, edges }) => {
        const open = edges.map(({ source, target }, at) => ({
          source,
          target,
          variable: `e${at}`,
          op: 'is_true',
        }));
        const flow = check(telling(nodes.map((node) => ({ ...node, cast: 'string' }))), open);
        for (const { message, witness = [], path } of items(flow, 'variable_maybe_unset')) {
          const name = /^"(\w+)"/.exec(message)![1]!;
          if (!path.includes('/args/') || new Set(witness).size < witness.length) continue;
          unset += 1;
          const taken = witness
            .slice(1)
            .map((id, at) => open.find(({ source, target }) => source === witness[at] && target === id)!);
          // A question that is skipped ends no turn, so the result of a tool is still to come.
          const skipped = nodes.filter(
            (node) => node.skip_if_set && node.variable !== name && witness.includes(node.id),
          );
          const chosen: Record<string, unknown> = Object.fromEntries(
            [...taken, ...skipped].map(({ variable }): [string, unknown] => [String(variable), true]),
          );
          expect(lastSeen(flow, chosen, witness, name)).toBe('');
        }
      }),
      { numRuns: 300 },
    );
    expect(unset).toBeGreaterThan(10);
  });

  /**
   * Follows a path of nodes through as many turns as it takes; returns the variable as the tool at
   * its end reports it.
   */
  function lastSeen(
    flow: CheckedFlow,
    chosen: Record<string, unknown>,
    path: readonly string[],
    name: string,
  ): unknown {
    let variables = chosen;
    let currentNode: string | null = null;
    for (let turns = 0; turns < 20; turns++) {
      const at = flow.model.nodesById.get(currentNode ?? '')?.raw;
      // A question about the variable itself is on the path because it can be left without an
      // answer.
      const userInput = at?.variable === name ? null : 'yes';
      const result = playOut(flow.compiled, {
        currentNode,
        userInput,
        variables,
        agentMode: 'in_process',
        // So can a tool that may fail.
        tool: at?.output_var === name ? 'error' : 'ok',
      }) as TurnResult;
      const told = result.actions.findLast(({ nodeId }) => nodeId === path.at(-1));
      if (told?.type === 'tool') return (told.args as Record<string, unknown>)[name];
      variables = nextBag(result);
      currentNode = result.nextNode;
      if (currentNode === null) break;
    }
    return 'never came there';
  }
});
