import { expect, test } from '@jest/globals';
import { compileFlow, parseFlow, type TurnResult } from '@parley/flow-engine';
import { describeToolResult, describeToolCall } from './reported-tools.rules.ts';

const parsed = parseFlow({ nodes: [{ id: 't', type: 'tool', tool: 'find', wait_for_result: true }] });
if (!parsed.ok) throw new Error('not a flow');
const flow = compileFlow(parsed.flow);

const answered = (result: unknown) =>
  describeToolResult(
    {
      currentNode: 't',
      answer: { kind: 'tool_result', callId: 'call_1', outcome: { status: 'ok', result } },
    },
    flow,
  );

test('tools without a wait are not reported', () => {
  const action = { type: 'tool', nodeId: 't', tool: 'find', args: null, outputVar: null } as const;
  const turn = (more: object) => ({ actions: [{ ...action, ...more }] }) as unknown as TurnResult;
  expect(describeToolCall(turn({}))).toEqual([]);
  expect(describeToolCall(turn({ callId: 'call_1' }))).toEqual(['find()']);
  expect(describeToolCall(turn({ callId: 'call_1', args: { id: 1 } }))).toEqual(['find({"id":1})']);
});

test('a long result is cut between characters', () => {
  for (const result of ['😀'.repeat(6_000), `a${'😀'.repeat(6_000)}`]) {
    const text = answered(result)[0]!;
    expect(text.length).toBeLessThanOrEqual('find: …'.length + 10_000);
    expect(Buffer.from(text).toString()).toBe(text);
  }
});

test('the result of a handoff is no result of a tool', () => {
  const answer = { kind: 'handoff_result', status: 'failed', reason: null } as const;
  expect(describeToolResult({ currentNode: 't', answer }, flow)).toEqual([]);
});
