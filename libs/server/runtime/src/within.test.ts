import { expect, test } from '@jest/globals';
import { TimeoutError, within } from './within.ts';

test('within returns the result, the failure, or a timeout', async () => {
  await expect(within(Promise.resolve('done'), 1_000)).resolves.toBe('done');
  await expect(within(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
  await expect(within(new Promise(() => undefined), 5)).rejects.toThrow(
    new TimeoutError('no answer within 5 ms'),
  );
});

test('within handles a failure after the timeout', async () => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 15));
  await expect(within(late, 5)).rejects.toThrow('no answer');
  await expect(late).rejects.toThrow('late'); // an unhandled rejection would end the run
});
