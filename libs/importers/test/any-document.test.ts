// Mutated documents: an import never throws, reports every node, and returns a definition that can
// be parsed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { validateFlow } from '@parley/flow-analysis';
import { compileFlow, parseFlow } from '@parley/flow-engine';
import { formatNames, importFlow } from '../src/index.ts';

const fixtures = ['fixtures', 'gate'].flatMap((name) => {
  const folder = join(import.meta.dirname, name);
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.map((file): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8')));
});

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    '{{',
    '{{ x',
    '{{ __proto__.x }}',
    '__proto__',
    'constructor',
    '',
    ' ',
    '$.x',
    'a'.repeat(20_000),
  ),
);
/** A fixture with some values replaced or removed. */
const bent = fc
  .record({
    source: fc.constantFrom(...fixtures),
    bends: fc.array(fc.record({ at: fc.nat(), to: fc.option(anything, { nil: undefined }) }), {
      maxLength: 6,
    }),
  })
  .map(({ source, bends }) => {
    const copy: unknown = structuredClone(source);
    for (const { at, to } of bends) {
      const places = placesOf(copy);
      const place = places[at % places.length];
      if (place === undefined) break; // everything is gone
      const { holder, key } = place;
      if (to === undefined && Array.isArray(holder)) holder.splice(Number(key), 1);
      else if (to === undefined) delete holder[key];
      else holder[key] = to;
    }
    return copy;
  });

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}

function resolves(source: unknown, pointer: string): boolean {
  let inner: unknown = source;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof inner !== 'object' || inner === null) return typeof inner === 'string'; // inside a text of YAML
    inner = (inner as Record<string, unknown>)[key];
  }
  return inner !== undefined;
}

function check(source: unknown, format?: (typeof formatNames)[number]): void {
  const result = importFlow(source, format);
  if (!result.ok) {
    expect(result.reason).not.toBe('');
    return;
  }
  const { definition, report } = result;
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  compileFlow(parsed.flow);
  validateFlow(parsed.flow, { stepsMax: 200 });
  const ids = new Set(parsed.flow.nodes.map(({ id }) => id));
  for (const { node_ids, pointer } of report) {
    for (const id of node_ids) expect(ids).toContain(id);
    expect([pointer, resolves(source, pointer)]).toEqual([pointer, true]);
  }
  for (const { source: from, target } of definition['edges'] as { source: string; target: string }[])
    expect([ids.has(from), ids.has(target)]).toEqual([true, true]);
  const given = nodesIn(source);
  if (given !== null && ['dograh', 'retell', 'vapi', 'pipecat'].includes(result.format))
    expect(report.length).toBe(given);
}

/** Number of nodes in a document; null when the format has no such list. */
function nodesIn(source: unknown): number | null {
  const { nodes } = source as { nodes?: unknown };
  return Array.isArray(nodes) ? nodes.length : null;
}

test('mutated fixtures', () => {
  fc.assert(
    fc.property(bent, fc.option(fc.constantFrom(...formatNames), { nil: undefined }), (source, format) =>
      check(source, format),
    ),
    { numRuns: 2_000 },
  );
});

test('arbitrary JSON', () => {
  fc.assert(fc.property(fc.anything(), fc.constantFrom(undefined, ...formatNames), check), {
    numRuns: 2_000,
  });
});
