// Behavioural differences between two versions.
import { describe, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { compareBehaviour } from '@parley/flow-analysis';
import { compileFlow, parseFlow } from '@parley/flow-engine';
import { BehaviourView } from './behaviour-view.tsx';
import { broughtIn, headline, sourcesOf, toldDifferences, type Behaviour } from '../tests/behaviour.ts';
import { versionBefore } from './publications.tsx';

/** Compares with the real engine: "18" is a child in one version and an adult in the other. */
function between(before: string, after: string): Behaviour {
  const compiled = (op: string) => {
    const parsed = parseFlow({
      nodes: [
        { id: 'ask', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
        { id: 'child', type: 'end', message: 'Hello child' },
        { id: 'adult', type: 'end', message: 'Hello adult' },
      ],
      edges: [
        { source: 'ask', target: 'child', variable: 'age', op, value: 18 },
        { source: 'ask', target: 'adult' },
      ],
    });
    if (!parsed.ok) throw new Error('no flow');
    return compileFlow(parsed.flow);
  };
  return compareBehaviour(compiled(before), compiled(after), {
    scripts: [],
    turns: [],
    recordedOn: () => null,
    nowMs: 0,
  });
}
const changed = between('lte', 'lt');

describe('what callers notice', () => {
  test('says how many conversations differ, or that none does', () => {
    expect(headline(changed)).toMatch(/^\d+ conversations of \d+ compared have another result\.$/);
    expect(headline(between('lt', 'lt'))).toMatch(/^No difference for callers/);
    const counts = { generated: 0, stored: 0, recorded: 0 };
    expect(headline({ ...changed, compared: counts, complete: false })).toContain('too large');
  });
  test('names the sources of conversations', () =>
    expect(sourcesOf({ stored: 1, recorded: 2, generated: 3 })).toBe(
      '1 stored test, 2 recorded, 3 generated',
    ));
  test('shows a sentence and one example with before and after', () => {
    render(<BehaviourView behaviour={changed} />);
    expect(screen.getByText(/Callers who answer/)).toHaveTextContent('now reach adult, before child');
    expect(screen.getByRole('list', { name: 'Input' })).toHaveTextContent('18');
    expect(screen.getByRole('row', { name: /Messages/ })).toHaveTextContent('MessagesHello childHello adult');
  });
  test('shows variables, and the end of the flow', () => {
    const group = {
      ...changed.groups[0]!,
      example: {
        ...changed.groups[0]!.example,
        differences: [
          { what: 'variables' as const, before: { age: 18 }, after: {} },
          { what: 'next_node' as const, before: 'ask', after: null },
        ],
      },
    };
    expect(toldDifferences(group)).toEqual([
      { what: 'Next node', before: ['ask'], after: ['end of flow'] },
      { what: 'Variables', before: ['age = 18'], after: ['none'] },
    ]);
  });
});

test('describes the input of a turn: utterance, tool result or handoff result', () => {
  expect(
    [
      { user_input: 'yes' },
      { user_input: null },
      { tool_result: { result: { free: true } } },
      { tool_result: { error: { code: 'timeout', message: '' } } },
      { handoff_result: { status: 'returned' } },
    ].map(broughtIn),
  ).toEqual(['yes', null, 'tool result {"free":true}', 'tool failed: timeout', 'handoff returned']);
});

test('rolls back to the previously published version', () => {
  const log = (...versions: (number | null)[]) => versions.map((version) => ({ version }));
  expect(versionBefore(log(3, 2, 1), 3)).toBe(2);
  expect(versionBefore(log(2, 3, 2), 2)).toBe(3);
  expect(versionBefore(log(null, 3), null)).toBe(3);
  expect(versionBefore(log(1, null), 1)).toBeNull();
});
