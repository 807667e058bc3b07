// Saves of a large flow, one after the other: an organisation that is alone waits for nobody, and
// beside another one it rests (docs/platform.md#large-bodies).
import { setTimeout as sleep } from 'node:timers/promises';
import { addOrganization } from '../add-organization.ts';
import { withServiceStack } from '../service-stack.ts';
import { median, quantileOf } from '../statistics.ts';
import type { Part } from '../suites.ts';

const SAVES = 6;
/** 20,000 edges are 1.4 MB. */
const EDGES = [4_000, 20_000] as const;
const SMALL_EVERY_MS = 20;
/** Long enough for what was served before to be forgotten. */
const QUIET_MS = 1_500;
const RATIO_MAX = 1.2;

export const largeSavesPart: Part = {
  title: 'large saves',
  open: (setting, _measure, tell) =>
    withServiceStack('flow-builder', setting, async (stack) => {
      const { origin } = await stack.startService('http');
      const other = addOrganization('flow-builder', setting.root, stack.databaseUrl, 'beside');
      const post = async (key: string, path: string, body: object): Promise<number> => {
        const startedMs = performance.now();
        const response = await fetch(`${origin}/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
        return performance.now() - startedMs;
      };
      let made = 0;
      const save = (edges: number) => {
        made += 1;
        return post(stack.apiKey, '/flows', { flow_id: `large-${made}`, definition: branching(edges) });
      };
      await post(other, '/flows', { flow_id: 'small', definition: branching(1) });
      const small = () => post(other, '/flows/small/execute', {});

      for (const edges of EDGES) {
        const ratios: number[] = [];
        const firsts: number[] = [];
        const alone: number[] = [];
        const beside: number[] = [];
        await save(edges); // compiles, and starts the thread
        for (let round = 0; round < setting.rounds; round += 1) {
          setting.signal.throwIfAborted();
          await sleep(QUIET_MS);
          const [first = 0, ...later] = await inTurn(SAVES, () => save(edges));
          firsts.push(first);
          ratios.push(median(later) / first);
          alone.push(quantileOf(await whileBusy(small, () => sleep(QUIET_MS)), 0.99));
          beside.push(quantileOf(await whileBusy(small, () => save(edges)), 0.99));
        }
        tell({
          title: `${SAVES} saves of a flow of ${edges} edges, one after the other`,
          figures: [
            { name: 'the first', value: median(firsts), unit: 'ms' },
            { name: 'second to sixth / first, alone', value: median(ratios), unit: 'x', atMost: RATIO_MAX },
            {
              name: 'p99 of small requests of another organisation, without',
              value: median(alone),
              unit: 'ms',
            },
            { name: 'the same beside a save', value: median(beside), unit: 'ms' },
          ],
        });
      }
    }),
};

async function inTurn(count: number, work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) times.push(await work());
  return times;
}

/** How long each of the small ones took, sent until the busy one is done. */
async function whileBusy(small: () => Promise<number>, busy: () => Promise<unknown>): Promise<number[]> {
  let isBusy = true;
  const ended = busy().finally(() => (isBusy = false));
  const asked: Promise<number>[] = [];
  do {
    asked.push(small());
    await sleep(SMALL_EVERY_MS);
  } while (isBusy);
  await ended;
  return Promise.all(asked);
}

function branching(edges: number): object {
  const end = { id: 'e', type: 'end' };
  const edge = (place: number) => ({ source: 'b', target: 'e', variable: 'v', op: 'eq', value: place });
  return {
    nodes: [{ id: 'b', type: 'branch' }, end],
    edges: [
      ...Array.from({ length: edges }, (_, place) => edge(place)),
      { source: 'b', target: 'e', default: true },
    ],
  };
}
