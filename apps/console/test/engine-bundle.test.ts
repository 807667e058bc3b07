// The engine as the page bundles it, in a realm without Node.js, decides branches and choices as
// the service does (docs/branches-without-a-model.md).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { engine, type Engine } from '../web/engine/engine.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** In a process of its own: the bundler refuses objects of the realm of a test. */
function bundleEngine(): Engine {
  const entry = path('../web/engine/engine.ts');
  const lib = { entry, formats: ['iife'], name: 'bundled' };
  const options = {
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, target: 'es2023', lib },
  };
  const program = `
    const { build } = await import('vite');
    const [{ output }] = await build(${JSON.stringify(options)});
    process.stdout.write(output[0].code);`;
  const code = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: path('..'),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const page = createContext({ TextEncoder, performance, setTimeout, structuredClone });
  return runInContext(`${code}; bundled.engine`, page) as Engine;
}

const { definition } = JSON.parse(
  readFileSync(path('../../flow-builder/examples/clinic-front-desk.json'), 'utf8'),
) as { readonly definition: { nodes: object[]; edges: { examples?: string[] }[] } };

/** Words of the examples in random order: some utterances are like them, most are between two. */
function* utterances(count: number): Generator<string> {
  const words = definition.edges.flatMap(({ examples = [] }) => examples.join(' ').split(' '));
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let made = 0; made < count; made++) {
    const from = next(words.length);
    const phrase = words.slice(from, from + 2 + next(6));
    yield [...phrase, ...(next(3) === 0 ? [words[next(words.length)]] : [])].join(' ');
  }
}

test('3,000 decisions are the same, to the byte', () => {
  const page = bundleEngine();
  const choices = [
    { value: 'theft', synonyms: ['stolen'], examples: ['somebody took my bike', 'my bike is gone'] },
    { value: 'damage', examples: ['a car drove into it', 'it fell over'] },
  ];
  const ask = { id: 'ask', type: 'collect', prompt: 'What?', variable: 'what', cast: 'enum', choices };
  const claim = { nodes: [ask, { id: 'end', type: 'end' }], edges: [{ source: 'ask', target: 'end' }] };
  const decided = new Map<string, number>();
  for (const [flow, count] of [
    [definition, 2_800],
    [claim, 200],
  ] as const) {
    page.check(flow);
    engine.check(flow);
    for (const said of utterances(count)) {
      const input = flow === claim ? `${said} my bike` : said;
      const turns = [
        { input: null, answers: [] },
        { input, answers: [] },
      ];
      const script = { startNode: null, variables: {}, nowMs: 0, extractor: false, agent: false, turns };
      const [here, there] = [engine, page].map((one) => JSON.stringify(one.converse(script)));
      expect(there).toBe(here);
      const by = /"by":"(\w+)"/.exec(here!)?.[1] ?? 'nobody';
      decided.set(by, (decided.get(by) ?? 0) + 1);
    }
  }
  // All ways of deciding were compared.
  expect(decided.get('embedded')).toBeGreaterThan(300);
  expect(decided.get('nobody')).toBeGreaterThan(50);
}, 120_000);
