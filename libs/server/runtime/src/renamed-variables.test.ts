import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readConfig } from './config.ts';
import { RENAMED_VARIABLES } from './renamed-variables.ts';

const rows = Object.entries(RENAMED_VARIABLES);

describe.each(rows)('%s', (old, { by, remedy }) => {
  const schema = z.object({ [by]: z.string().optional() });

  test('is refused where its replacement is read, with the remedy', () => {
    expect(readConfig(schema, { [old]: 'x' })).toEqual({
      ok: false,
      problems: [`${old}: this variable is no longer read; ${remedy}`],
    });
    expect(remedy).toMatch(/^(set [A-Z_]+.* instead|unset it; the value is now always .+)$/);
  });

  test('is refused beside its replacement, and beside other problems', () => {
    const both = readConfig(schema, { [old]: 'x', [by]: 'y' });
    expect(both.ok ? [] : both.problems).toHaveLength(1);
    const other = readConfig(schema.extend({ NEEDED: z.string() }), { [old]: 'x' });
    expect(other.ok ? [] : other.problems).toEqual([
      expect.stringContaining(`${old}: `),
      'NEEDED is not set',
    ]);
  });

  test('is ignored where it is empty, and by a process that reads neither', () => {
    expect(readConfig(schema, { [old]: '' })).toMatchObject({ ok: true });
    expect(readConfig(z.object({ PORT: z.string() }), { [old]: 'x', PORT: '1' })).toMatchObject({ ok: true });
  });
});
