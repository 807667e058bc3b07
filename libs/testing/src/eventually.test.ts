import { describe, expect, test } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  test('returns the first truthy value', async () => {
    let looks = 0;
    expect(await eventually(() => ((looks += 1) >= 3 ? `look ${looks}` : undefined), { intervalMs: 1 })).toBe(
      'look 3',
    );
  });

  test('continues after an error, also an asynchronous one', async () => {
    let looks = 0;
    const condition = async (): Promise<boolean> => {
      looks += 1;
      if (looks < 3) throw new Error('not yet');
      return true;
    };
    await eventually(condition, { intervalMs: 1 });
    expect(looks).toBe(3);
  });

  test('names the last error on timeout', async () => {
    const never = (): boolean => {
      throw new Error('still 2 jobs');
    };
    const waiting = eventually(never, { timeoutMs: 30, intervalMs: 5 });
    await expect(waiting).rejects.toThrow('Not so within 30 ms: still 2 jobs');
    await expect(waiting).rejects.toMatchObject({ cause: new Error('still 2 jobs') });
  });

  test('names the last value on timeout', async () => {
    await expect(eventually(() => 0, { timeoutMs: 10, intervalMs: 5 })).rejects.toThrow('it last gave 0');
  });

  test('counts an attempt that was running at the timeout', async () => {
    let looks = 0;
    const slow = async (): Promise<boolean> => {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 30));
      return looks === 1;
    };
    expect(await eventually(slow, { timeoutMs: 10 })).toBe(true);
  });
});
