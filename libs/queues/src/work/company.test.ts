// Who is alone is alone, whoever comes; and nobody waits for ever.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCompany } from './company.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('any comings: nobody is beside one who is alone, and all have their turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ alone: fc.boolean(), turns: fc.nat(3), wait: fc.nat(2) }), { maxLength: 30 }),
      async (comings) => {
        const company = createCompany();
        let [beside, alone, done] = [0, 0, 0];
        const all: Promise<void>[] = [];
        for (const one of comings) {
          const work = async () => {
            if (one.alone) alone += 1;
            else beside += 1;
            for (let left = one.turns; left >= 0; left -= 1) {
              expect(alone > 1 || (alone === 1 && beside > 0)).toBe(false);
              await turn();
            }
            if (one.alone) alone -= 1;
            else beside -= 1;
            done += 1;
          };
          all.push(one.alone ? company.alone(work) : company.beside(work));
          for (let left = one.wait; left > 0; left -= 1) await turn();
        }
        await Promise.all(all);
        expect(done).toBe(comings.length);
      },
    ),
  );
});

test('those who waited for one who was alone go before the next one, and a failure holds up nobody', async () => {
  const company = createCompany();
  const order: string[] = [];
  const does = (name: string) => async () => void order.push(name);
  const failing = company.alone(async () => {
    await turn();
    order.push('first alone');
    throw new Error('failed');
  });
  await turn();
  const rest = [company.alone(does('second alone')), company.beside(does('beside'))];
  await expect(failing).rejects.toThrow('failed');
  await Promise.all(rest);
  expect(order).toEqual(['first alone', 'beside', 'second alone']);
});
