import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  parseFlow,
  validateFlow,
  validationCodes,
  type FlowModel,
  type ValidationCode,
} from '../src/index.ts';
import { agent, ask, branch, end, examples, flow, say, to, tool, when } from './validation-examples.ts';

const stepsMax = 5;

function parsed(definition: unknown): FlowModel {
  const result = parseFlow(definition);
  if (!result.ok) throw new Error(`not a definition: ${JSON.stringify(result.problems)}`);
  return result.flow;
}

function found(definition: unknown) {
  const { errors, warnings, infos } = validateFlow(parsed(definition), { stepsMax });
  return [
    ...errors.map((item) => ({ severity: 'error', ...item })),
    ...warnings.map((item) => ({ severity: 'warning', ...item })),
    ...infos.map((item) => ({ severity: 'info', ...item })),
  ];
}

describe.each(Object.entries(examples))('%s', (code, { shown, notShown }) => {
  const spec = validationCodes[code as ValidationCode];

  test.each(shown)('is found: $because', ({ flow, at, severity, witness }) => {
    const items = found(flow).filter((item) => item.code === code);
    expect(items.map(({ path }) => path)).toContain(at);
    const item = items.find(({ path }) => path === at)!;
    expect(item.severity).toBe(severity ?? spec.severity);
    expect(item.hint).toBe(spec.hint);
    expect(item.message).not.toBe('');
    if (witness !== undefined) expect(item.witness).toEqual(witness);
  });

  test.each(notShown)('is not found: $because', ({ flow }) => {
    expect(found(flow).filter((item) => item.code === code)).toEqual([]);
  });
});

test('every code has examples on both sides', () => {
  const bare = Object.entries(examples).filter(
    ([, { shown, notShown }]) => !shown.length || !notShown.length,
  );
  expect(bare.map(([code]) => code)).toEqual([]);
  expect(Object.keys(examples).sort()).toEqual(Object.keys(validationCodes).sort());
});
