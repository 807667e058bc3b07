// The inspector edits the document and offers what the engine's tables have.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { casts, nodeTypes, operators, type AuthoredFlow } from '@parley/flow-engine';
import { engine } from '../../engine/engine.ts';
import { edgesOf } from '../document/doc.ts';
import { learn, openFlow, select, undo, useFlow } from '../document/flow-store.ts';
import { problemsOf } from '../document/problems.ts';
import { Inspector } from './inspector.tsx';

const flow = {
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Tea?', variable: 'tea' },
    { id: 'yes', type: 'message' },
    { id: 'no', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'yes', variable: 'tea', op: 'eq', value: true },
    { source: 'ask', target: 'no' },
    { source: 'yes', target: 'no' },
  ],
} as unknown as AuthoredFlow;
const now = () => useFlow.getState().doc.flow;
const node = (id: string) => now().nodes.find((one) => one.id === id);
const optionsOf = (label: string) =>
  within(screen.getByLabelText(label))
    .getAllByRole('option')
    .map((option) => option.getAttribute('value') ?? option.textContent);

beforeEach(() => {
  const doc = { flow, places: {} };
  openFlow('tea', { version: 1, etag: '1', doc }, doc);
  learn(engine.check(flow), flow);
});

function show(nodes: readonly string[], edge: number | null = null) {
  select(nodes, edge);
  render(<Inspector problems={problemsOf(flow, engine.check(flow))} name="Tea" />);
}

describe('a node', () => {
  test('typing changes the document on every keystroke, as one undo step', async () => {
    show(['ask']);
    await userEvent.type(screen.getByLabelText('Question'), ' Or coffee?');
    expect(node('ask')?.prompt).toBe('Tea? Or coffee?');
    act(undo);
    expect(node('ask')?.prompt).toBe('Tea?');
  });
  test('offers every type and cast of the engine', () => {
    show(['ask']);
    expect(optionsOf('Kind').sort()).toEqual(Object.keys(nodeTypes).sort());
    expect(optionsOf('Type of answer')).toEqual(Object.keys(casts));
  });
  test('a cast shows the members that it reads', async () => {
    show(['ask']);
    await userEvent.selectOptions(screen.getByLabelText('Type of answer'), 'enum');
    await userEvent.type(screen.getByLabelText('Choices'), 'green: sencha{enter}black');
    expect(node('ask')?.choices).toEqual([{ value: 'green', synonyms: ['sencha'] }, 'black']);
  });
  test('adds a member and parses its value', async () => {
    show(['ask']);
    await userEvent.selectOptions(screen.getByLabelText('Add setting'), 'max_attempts');
    const field = screen.getByLabelText('Attempts');
    await userEvent.clear(field);
    await userEvent.type(field, '2');
    expect(node('ask')?.max_attempts).toBe(2);
  });
  test('renames an id on Enter, and refuses a taken one', async () => {
    show(['ask']);
    const field = screen.getByLabelText('Id');
    await userEvent.clear(field);
    await userEvent.type(field, 'no');
    expect(screen.getByText('Another node has this id. Choose a different one.')).toBeInTheDocument();
    await userEvent.type(field, 't_sure{enter}');
    expect(now().start).toBe('not_sure');
    expect(edgesOf(now())[0]?.source).toBe('not_sure');
  });
  test('shows the findings of the node', () => {
    show(['yes']);
    expect(screen.getByText('"yes" says nothing')).toBeInTheDocument();
  });
  test('offers filters after a bar, and accepts one with Enter', async () => {
    show(['ask']);
    await userEvent.type(screen.getByLabelText('Question'), ' {{{{ tea | upp');
    expect(screen.getByRole('option', { name: /upper/ })).toBeInTheDocument();
    await userEvent.keyboard('{Enter}');
    expect(node('ask')?.prompt).toBe('Tea? {{ tea | upper');
  });
  test('moves outgoing edges by keyboard', async () => {
    show(['ask']);
    screen.getByRole('button', { name: /^Edge 2 to End \(no\), otherwise/ }).focus();
    await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}');
    expect(edgesOf(now()).map(({ target }) => target)).toEqual(['no', 'yes', 'no']);
    expect(useFlow.getState().announced).toBe('Moved to position 1');
  });
});

describe('an edge', () => {
  test('offers every operator, with an operand of its shape', async () => {
    show([], 0);
    expect(optionsOf('Comparison').sort()).toEqual(Object.keys(operators).sort());
    await userEvent.selectOptions(screen.getByLabelText('Comparison'), 'between');
    await userEvent.clear(screen.getByLabelText('From'));
    await userEvent.type(screen.getByLabelText('From'), '5');
    expect(edgesOf(now())[0]).toMatchObject({ op: 'between', value: [5, true] });
    await userEvent.selectOptions(screen.getByLabelText('Comparison'), 'exists');
    expect(edgesOf(now())[0]).not.toHaveProperty('value');
  });
  test('switches to a condition for the model and removes the comparison', async () => {
    show([], 0);
    await userEvent.click(screen.getByRole('button', { name: 'Ask the model' }));
    await userEvent.type(screen.getByLabelText('Condition', { selector: 'input' }), 'wants tea');
    expect(edgesOf(now())[0]).toEqual({ source: 'ask', target: 'yes', nl: 'wants tea' });
  });
});

test('edits the flow when nothing is selected', async () => {
  show([]);
  await userEvent.type(screen.getByLabelText('Language'), 'de');
  expect(now()['language']).toBe('de');
  expect(screen.getByText('at most 3')).toBeInTheDocument();
});
