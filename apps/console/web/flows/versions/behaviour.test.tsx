// What two versions do differently, as it is told before somebody publishes.
import { describe, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { compareBehaviour, compileFlow, parseFlow } from '@parley/flow-engine';
import { BehaviourView } from './behaviour-view.tsx';
import { broughtIn, headline, sourcesOf, toldDifferences, type Behaviour } from './behaviour.ts';
import { versionBefore } from './publications.tsx';

/** The engine that the service compares with: "18" is a child in the first version, and grown up in the second. */
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
  test('how many conversations part, and that none does', () => {
    expect(headline(changed)).toMatch(/^\d+ conversations of \d+ held with both go another way\.$/);
    expect(headline(between('lt', 'lt'))).toMatch(/^Callers notice nothing/);
    const counts = { generated: 0, stored: 0, recorded: 0 };
    expect(headline({ ...changed, compared: counts, complete: false })).toContain('too large');
  });
  test('where conversations come from', () =>
    expect(sourcesOf({ stored: 1, recorded: 2, generated: 3 })).toBe(
      '1 stored test, 2 recorded, 3 generated',
    ));
  test('a sentence, and one conversation with what was and what is', () => {
    render(<BehaviourView behaviour={changed} />);
    expect(screen.getByText(/Callers who answer/)).toHaveTextContent('now reach adult, before child');
    expect(screen.getByRole('list', { name: 'What is said' })).toHaveTextContent('18');
    expect(screen.getByRole('row', { name: /Says/ })).toHaveTextContent('SaysHello childHello adult');
  });
  test('what is kept, and where nothing is', () => {
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
      { what: 'Goes to', before: ['ask'], after: ['the end'] },
      { what: 'Keeps', before: ['age = 18'], after: ['nothing'] },
    ]);
  });
});

test('what a turn brings: words, the result of a tool, a handoff that comes back', () => {
  expect(
    [
      { user_input: 'yes' },
      { user_input: null },
      { tool_result: { result: { free: true } } },
      { tool_result: { error: { code: 'timeout', message: '' } } },
      { handoff_result: { status: 'returned' } },
    ].map(broughtIn),
  ).toEqual(['yes', null, 'the tool gave {"free":true}', 'the tool failed: timeout', 'the handoff returned']);
});

test('the way back is what was published before', () => {
  const log = (...versions: (number | null)[]) => versions.map((version) => ({ version }));
  expect(versionBefore(log(3, 2, 1), 3)).toBe(2);
  expect(versionBefore(log(2, 3, 2), 2)).toBe(3);
  expect(versionBefore(log(null, 3), null)).toBe(3);
  expect(versionBefore(log(1, null), 1)).toBeNull();
});
