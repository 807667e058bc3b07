// Commands and the way back on random graphs, beside a second walker. Each turn must have the same
// result, and validation must count what the second walker counts.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limits, type TurnResult } from '@parley/flow-engine';
import {
  canEnd,
  commandIds,
  edgesFrom,
  flows,
  isEnd,
  longestByTrying,
  nodeOf,
  visitable,
  walkByThePage,
  type Flow,
  type State,
} from './second-walker.ts';
import { check, graph, playOut, turn, type CheckedFlow } from './validation-flows.ts';

const turns = fc.array(
  fc.record({
    said: fc.constantFrom('friday', 'hm', 'word0', 'word1', 'word2', 'word3', 'word0', 'word1', null),
    open: fc.uniqueArray(fc.integer({ min: 0, max: 13 }), { minLength: 3, maxLength: 14 }),
  }),
  { minLength: 10, maxLength: 20 },
);

const flowOf = ({ nodes, edges }: Flow, stepsMax?: number): CheckedFlow =>
  check(nodes as never, edges as never, stepsMax);

describe('on any graph', () => {
  test('a turn follows the page, and changes nothing else', () => {
    const seen = { commands: 0, answered: 0, back: 0, deep: 0 };
    fc.assert(
      fc.property(flows, turns, (flow, turns) => {
        const { compiled } = flowOf(flow);
        let state: State = { at: null, stack: [], failures: {} };
        let bag: Record<string, unknown> = {};
        for (const { said, open } of turns) {
          const names = open.map((place) => `e${place}`);
          const expected = walkByThePage(flow, state, said, new Set(names));
          const variables = {
            ...Object.fromEntries(Object.entries(bag).filter(([name]) => !/^e\d/.test(name))),
            ...Object.fromEntries(names.map((name) => [name, true])),
          };
          const result = playOut(compiled, {
            currentNode: state.at,
            userInput: said,
            variables,
            stepsMax: 100,
          }) as TurnResult;
          if (expected === null) {
            expect(result.kind).toBe('turn_did_not_settle');
            return;
          }
          const { turn: _turn, ...kept } = result.variables['_flow'] as Record<string, unknown>;
          const { attempts = {}, interrupted = [] } = kept;
          expect({
            at: result.nextNode,
            stack: interrupted,
            failures: attempts,
            visited: result.trace!.map(({ nodeId }) => nodeId),
          }).toEqual(expected);
          if (result.input?.status === 'command') {
            seen.commands += 1;
            const { _flow: _before, ...before } = variables as Record<string, unknown>;
            const { _flow: _after, ...after } = result.variables;
            expect(after).toEqual(before);
          }
          if (result.trace![0]?.command !== undefined && result.input?.status === 'captured') {
            seen.answered += 1;
            const { variable } = result.input;
            expect(result.variables).toEqual({
              ...variables,
              _flow: result.variables['_flow'],
              [variable!]: result.variables[variable!],
            });
            expect(String(result.variables[variable!])).toMatch(/^(word|friday|2026-11-20)/);
          }
          if (result.trace!.some(({ why }) => why.startsWith('goes back'))) seen.back += 1;
          if (expected.stack.length === limits.interruptedMax) seen.deep += 1;
          state = expected;
          bag = { ...result.variables };
          if (state.at === null) return;
        }
      }),
      { numRuns: 800 },
    );
    expect(seen.commands).toBeGreaterThan(100);
    expect(seen.back).toBeGreaterThan(5);
    expect(seen.deep).toBeGreaterThan(0);
    expect(seen.answered).toBeGreaterThan(15);
  });

  test('reachable nodes are reached, and the bound is the longest turn', () => {
    let bounded = 0;
    fc.assert(
      fc.property(flows, (flow) => {
        const { validation } = flowOf(flow);
        const { reachable, max_steps_per_turn: bound } = validation.stats;
        expect(reachable).toBe(visitable(flow).size);
        const longest = longestByTrying(flow);
        expect(bound).toBe(longest === Infinity ? null : longest);
        bounded += Number(bound !== null);
      }),
      { numRuns: 1_000 },
    );
    expect(bounded).toBeGreaterThan(300);
  });

  test('the witness of the bound is a turn that attains it', () => {
    let [back, answered] = [0, 0];
    fc.assert(
      fc.property(flows, (flow) => {
        // A limit of 0 makes validation show the longest turn.
        const { validation, compiled } = flowOf(flow, 0);
        const bound = validation.stats.max_steps_per_turn;
        const { witness = [] } = validation.errors.find(({ code }) => code === 'bound_exceeds_limit') ?? {};
        if (bound === null) return;
        expect(witness).toHaveLength(bound);
        const isAnswered = witness.length > 2 && nodeOf(flow, witness[1]!).type === 'collect';
        const taken = witness.slice(1).map((target, place) => {
          const from =
            place === 0 && isAnswered
              ? commandIds.filter((id) => nodeOf(flow, id).answers_question)
              : place === 0 && nodeOf(flow, witness[0]!).type === 'collect'
                ? [witness[0]!, ...commandIds]
                : [witness[place]!];
          return flow.edges.find((edge) => from.includes(edge.source) && edge.target === target);
        });
        const word = taken.find((edge) => edge?.value !== undefined)?.value;
        // Only conditions say whether a word calls a command and is no answer, or whether the
        // question has another edge to take.
        if (isAnswered && nodeOf(flow, witness[1]!).cast === 'date' && word !== 'friday') return;
        if (isAnswered && witness[0] === witness[1]) return;
        answered += Number(isAnswered);
        const isBack = isEnd(nodeOf(flow, witness.at(-2) ?? 'a')) && witness.length > 1;
        back += Number(isBack);
        const variables: Record<string, unknown> = Object.fromEntries(
          taken.flatMap((edge) =>
            edge === undefined || edge.value !== undefined ? [] : [[edge.variable, true]],
          ),
        );
        if (isBack && word === undefined) variables['_flow'] = { turn: 1, interrupted: [witness.at(-1)!] };
        const result = playOut(compiled, {
          currentNode: witness[0]!,
          userInput: word ?? '2026-12-24',
          variables,
        });
        expect(result).toMatchObject({ kind: 'turn', steps: bound });
      }),
      { numRuns: 600 },
    );
    expect(back).toBeGreaterThan(5);
    expect(answered).toBeGreaterThan(5);
  });

  test('an end that validation promises is reachable', () => {
    const seen = { lost: 0, hopeful: 0 };
    fc.assert(
      fc.property(flows, (flow) => {
        const { validation } = flowOf(flow);
        const codes = validation.warnings.map(({ code }) => code);
        const dead = flow.nodes.some(
          ({ id, type }) => type !== 'end' && type !== 'trigger' && edgesFrom(flow, id).length === 0,
        );
        // A flow that stops half-way has a dead end.
        if (dead) return;
        const ends = canEnd(flow);
        if (codes.includes('no_path_to_terminal')) seen.lost += 1;
        else {
          seen.hopeful += 1;
          expect(ends).toBe(true);
        }
        if (!ends) expect(codes).toContain('no_path_to_terminal');
      }),
      { numRuns: 3_000 },
    );
    expect(seen.lost).toBeGreaterThan(10);
    expect(seen.hopeful).toBeGreaterThan(10);
  });
});

describe('variables', () => {
  const clearing = fc.constantFrom(
    undefined,
    undefined,
    undefined,
    [{ variable: 'x', clear: true }],
    [{ variable: 'y', clear: true }],
    [{ variable: 'x', to: 'set' }],
    [{ variable: 'z', to: 'set' }],
  );
  const called = fc.array(
    fc.tuple(fc.constantFrom('abc', '5', 'yes'), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')),
    { minLength: 1, maxLength: 3 },
  );

  test('that validation proves set are set, with commands between a question and its answer', () => {
    const seen = { set: 0, back: 0, unset: 0 };
    fc.assert(
      fc.property(
        graph,
        fc.array(clearing, { minLength: 8, maxLength: 8 }),
        called,
        fc.array(turn, { minLength: 10, maxLength: 10 }),
        ({ nodes, edges }, sets, called, turns) => {
          const first = { id: 'first', type: 'collect', variable: 'x', cast: 'date' };
          const second = { id: 'second', type: 'tool' };
          const told = [first, second, ...nodes].map((node, place) => ({
            ...node,
            tool: node.type,
            args: { x: '{{ x }}', y: '{{ y }}', z: '{{ z }}' },
            ...(node.type === 'end' ? { resume: true } : {}),
            ...(sets[place - 2] === undefined || node.type === 'end' ? {} : { set: sets[place - 2] }),
          }));
          const flow = check(
            [...told, { id: 'any', type: 'trigger', on: 'any_turn' }],
            [
              { source: 'first', target: 'second' },
              { source: 'second', target: 'a' },
              ...edges,
              ...called.map(([value, target]) => ({
                source: 'any',
                target,
                variable: 'user_input',
                op: 'eq',
                value,
              })),
            ],
          );
          const { errors, warnings } = flow.validation;
          const unset = [...errors, ...warnings]
            .filter(({ code }) => code === 'variable_maybe_unset' || code === 'variable_never_set')
            .map(({ message }) => message);
          seen.unset += unset.length;
          let variables: Record<string, unknown> = {};
          let currentNode: string | null = null;
          for (const one of [{ userInput: null }, { userInput: 'tomorrow' }, ...turns]) {
            // A captured blank answer is set, and reads like a missing one.
            const userInput = one.userInput?.trim() === '' ? null : one.userInput;
            const input = { ...one, userInput, agentMode: 'in_process' as const, variables, currentNode };
            const result = playOut(flow.compiled, input);
            if (result.kind !== 'turn') return;
            if (result.trace!.some(({ why }) => why.startsWith('goes back'))) seen.back += 1;
            for (const action of result.actions) {
              if (action.type !== 'tool') continue;
              for (const [name, value] of Object.entries(action.args as Record<string, unknown>)) {
                if (unset.some((message) => message.startsWith(`"${name}"`))) continue;
                seen.set += 1;
                expect({ name, value }).not.toEqual({ name, value: '' });
              }
            }
            const results = result.actions.flatMap((action) =>
              action.type === 'tool' ? [[action.outputVar ?? '', 'result'] as const] : [],
            );
            variables = { ...result.variables, ...Object.fromEntries(results) };
            currentNode = result.nextNode;
            if (currentNode === null) return;
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(seen.set).toBeGreaterThan(50);
    expect(seen.back).toBeGreaterThan(20);
    expect(seen.unset).toBeGreaterThan(50);
  });
});
