import { expect, test } from '@jest/globals';
import { NotInTime, within } from './within.ts';

test('within gives the result, the failure, or says that time is up', async () => {
  await expect(within(Promise.resolve('done'), 1_000)).resolves.toBe('done');
  await expect(within(Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
  await expect(within(new Promise(() => undefined), 5)).rejects.toThrow(
    new NotInTime('no answer within 5 ms'),
  );
});

test('within hears a failure that comes too late', async () => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 15));
  await expect(within(late, 5)).rejects.toThrow('no answer');
  await expect(late).rejects.toThrow('late'); // an unhandled rejection would have ended the run
});
