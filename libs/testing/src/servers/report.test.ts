import { expect, jest, test } from '@jest/globals';
import { lineReport } from './report.ts';

test('shows a step when it is done, and signs of life while it takes long', async () => {
  jest.useFakeTimers();
  try {
    const lines: string[] = [];
    const report = lineReport(
      (line) => lines.push(line),
      () => Date.now(),
    );
    await report.step('quick', () => Promise.resolve());
    const slow = report.step('slow', () => new Promise((resolve) => setTimeout(resolve, 12_000)));
    await jest.advanceTimersByTimeAsync(12_000);
    await slow;
    expect(lines).toEqual(['  ✓ quick, 0.0 s', '  … slow', '  … slow, 11.0 s', '  ✓ slow, 12.0 s']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(4);
  } finally {
    jest.useRealTimers();
  }
});

test('a step that fails says so, and the error goes on', async () => {
  const lines: string[] = [];
  const report = lineReport(
    (line) => lines.push(line),
    () => 0,
  );
  await expect(report.step('broken', () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect(lines).toEqual(['  ✗ broken, 0.0 s']);
});
