// Forms for assignments, several comparisons, commands, waits and calls, with findings at their
// fields.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { makeQueryClient } from '../../api/query-client.ts';
import { engine } from '../../engine/engine.ts';
import { edgesOf } from '../document/doc.ts';
import { learn, openFlow, select, useFlow } from '../document/flow-store.ts';
import { problemsOf } from '../document/problems.ts';
import { Inspector } from './inspector.tsx';
import { memberRows } from './members.ts';

const flow = {
  start: 'ask',
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Tea?', variable: 'tea', set: [{ variable: 'asked', add: 'one' }] },
    { id: 'look', type: 'tool', tool: 'find', args: { what: '{{ tea }}', deep: 2 } },
    { id: 'who', type: 'branch', call: { flow_id: 'identify', version: 'published' } },
    { id: 'help', type: 'trigger', on: 'any_turn', priority: 'never' },
    { id: 'desk', type: 'handoff' },
    {
      id: 'agent',
      type: 'autonomous',
      goal: 'Find out the car.',
      extraction: { type: 'object', properties: { car: { type: 'string', description: 'Make' } } },
    },
    { id: 'schema', type: 'autonomous', goal: 'Talk.', extraction: { required: ['car'] } },
    { id: 'done', type: 'end' },
  ],
  edges: [
    { source: 'ask', target: 'look', variable: 'tea', op: 'eq', value: 'green' },
    { source: 'ask', target: 'who', any: [{ variable: 'tea', op: 'matches', value: '(' }, { op: 'eq' }] },
    { source: 'ask', target: 'done' },
    { source: 'look', target: 'who' },
    { source: 'who', target: 'desk' },
    { source: 'help', target: 'desk', nl: 'wants help' },
  ],
} as unknown as AuthoredFlow;
const now = () => useFlow.getState().doc.flow;
const node = (id: string) => now().nodes.find((one) => one.id === id);

beforeEach(() => {
  engine.know(null);
  const doc = { flow, places: {} };
  openFlow('tea', { version: 1, etag: '1', doc }, doc);
  learn(engine.check(flow), flow);
  globalThis.fetch = async () =>
    Response.json({
      items: [{ flow_id: 'identify' }, { flow_id: 'tea' }],
      next_cursor: null,
    });
});

function show(nodes: readonly string[], edge: number | null = null) {
  select(nodes, edge);
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <Inspector problems={problemsOf(flow, engine.check(flow))} name="Tea" />
    </QueryClientProvider>,
  );
}
const choose = (label: string, option: string) =>
  userEvent.selectOptions(screen.getByLabelText(label), option);

describe('members come from the engine’s table', () => {
  const rowsOf = (one: object) => memberRows({ id: 'n', ...one });
  test('each type has its own members', () => {
    expect(rowsOf({ type: 'branch' }).addable).toEqual(['call', 'set', 'graph_constraints']);
    expect(rowsOf({ type: 'end' }).addable).toEqual(['resume', 'graph_constraints']);
    expect(rowsOf({ type: 'handoff' }).addable).not.toContain('set');
    expect(rowsOf({ type: 'handoff', returns: true }).addable).toContain('set');
  });
  test('a collect node has the members that its cast reads', () => {
    expect(rowsOf({ type: 'collect', cast: 'date' }).addable).toEqual(
      expect.arrayContaining(['prefer', 'min']),
    );
    expect(rowsOf({ type: 'collect', cast: 'email' }).addable).not.toContain('prefer');
  });
});

describe('a node', () => {
  test('shows the finding of a `set` entry at the entry', async () => {
    show(['ask']);
    expect(screen.getByText('must be a number, or a placeholder', { exact: false })).toBeInTheDocument();
    await userEvent.clear(screen.getByLabelText('Value 1'));
    await userEvent.type(screen.getByLabelText('Value 1'), '1');
    await userEvent.click(screen.getByRole('button', { name: 'Add entry' }));
    await userEvent.type(screen.getByLabelText('Variable 2'), 'tea');
    await choose('Operation 2', 'clear');
    expect(node('ask')?.['set']).toEqual([
      { variable: 'asked', add: 1 },
      { variable: 'tea', clear: true },
    ]);
  });
  test('edits arguments as rows, and waits for the result of a tool', async () => {
    show(['look']);
    await userEvent.clear(screen.getByLabelText('Value 2'));
    await userEvent.type(screen.getByLabelText('Value 2'), '3.5');
    await userEvent.click(screen.getByRole('button', { name: 'Add row' }));
    await userEvent.type(screen.getByLabelText('Name 3'), 'how');
    await userEvent.type(screen.getByLabelText('Value 3'), 'true');
    await userEvent.click(screen.getByRole('button', { name: 'Remove what' }));
    expect(node('look')?.args).toEqual({ deep: 3.5, how: true });
    await userEvent.click(screen.getByLabelText(/^Wait for the result/));
    expect(node('look')?.['wait_for_result']).toBe(true);
  });
  test('edits the values to extract as rows', async () => {
    show(['agent']);
    await userEvent.click(screen.getByRole('button', { name: 'Add value' }));
    await userEvent.type(screen.getByLabelText('Name of value 2'), 'tyres');
    await choose('Type of tyres', 'Whole number');
    await userEvent.clear(screen.getByLabelText('Description of car'));
    expect(node('agent')?.['extraction']).toEqual({
      type: 'object',
      properties: { car: { type: 'string' }, tyres: { type: 'integer' } },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Remove tyres' }));
    await userEvent.click(screen.getByRole('button', { name: 'Remove car' }));
    expect(node('agent')).not.toHaveProperty('extraction');
  });
  test('edits a schema that rows cannot show as JSON', () => {
    show(['schema']);
    expect(screen.queryByRole('button', { name: 'Add value' })).toBeNull();
    expect(screen.getByText('Extract values')).toBeInTheDocument();
  });
  test('edits the called flow, its version, input and output', async () => {
    show(['who']);
    expect(await screen.findByRole('link', { name: 'Open identify' })).toHaveAttribute(
      'href',
      '/flows/identify',
    );
    await userEvent.clear(screen.getByLabelText('Version'));
    await userEvent.type(screen.getByLabelText('Version'), '3');
    await userEvent.click(screen.getByRole('button', { name: 'Add row' }));
    await userEvent.type(screen.getByLabelText('Variable 1'), 'greeting');
    await userEvent.type(screen.getByLabelText('Value 1'), 'Hello');
    await userEvent.click(screen.getByLabelText('Return all variables'));
    await userEvent.type(screen.getByLabelText('Output'), 'name{enter}age');
    expect(node('who')?.['call']).toMatchObject({
      flow_id: 'identify',
      input: { greeting: 'Hello' },
      output: ['name', 'age'],
    });
  });
  test('edits a command and its priority', async () => {
    show(['help']);
    const field = screen.getByLabelText('Priority');
    expect(field).toBeInvalid();
    expect(field).toHaveAccessibleDescription(/not after or before/);
    await choose('Priority', 'before');
    expect(node('help')?.['priority']).toBe('before');
    await userEvent.click(screen.getByLabelText(/^Command/));
    expect(node('help')).not.toHaveProperty('on');
  });
  test('a returning handoff has outgoing edges', async () => {
    show(['desk']);
    expect(screen.queryByRole('region', { name: 'Outgoing edges of desk' })).toBeNull();
    await userEvent.click(screen.getByLabelText(/^Caller may return/));
    expect(node('desk')?.['returns']).toBe(true);
    expect(screen.getByRole('region', { name: 'Outgoing edges of desk' })).toBeInTheDocument();
  });
  test('edits one text per reason why an answer fails', async () => {
    show(['ask']);
    await choose('Add setting', 'reprompts');
    await userEvent.type(screen.getByLabelText('no_input'), 'Still there?');
    expect(node('ask')?.['reprompts']).toEqual({ no_input: 'Still there?' });
    await userEvent.clear(screen.getByLabelText('no_input'));
    expect(node('ask')?.['reprompts']).toEqual({});
  });
});

describe('several comparisons', () => {
  test('shows the finding of a comparison at its field', () => {
    show([], 1);
    const first = within(screen.getByRole('group', { name: 'Comparison 1' }));
    expect(first.getByLabelText('Pattern')).toBeInvalid();
    expect(
      within(screen.getByRole('group', { name: 'Comparison 2' })).getByLabelText('Variable'),
    ).toHaveValue('');
  });
  test('adds and removes comparisons, joined by all or any', async () => {
    show([], 0);
    await userEvent.click(screen.getByRole('button', { name: 'Add comparison' }));
    const second = within(screen.getByRole('group', { name: 'Comparison 2' }));
    await userEvent.type(second.getByLabelText('Variable'), 'size');
    await userEvent.type(second.getByLabelText('Value'), '2');
    await choose('Match', 'any');
    expect(edgesOf(now())[0]).toEqual({
      source: 'ask',
      target: 'look',
      any: [
        { variable: 'tea', op: 'eq', value: 'green' },
        { variable: 'size', op: 'eq', value: 2 },
      ],
    });
    await userEvent.click(screen.getByRole('button', { name: 'Remove comparison 1' }));
    expect(edgesOf(now())[0]).toEqual({
      source: 'ask',
      target: 'look',
      variable: 'size',
      op: 'eq',
      value: 2,
    });
  });
});
