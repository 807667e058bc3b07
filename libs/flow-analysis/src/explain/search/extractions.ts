// Values that a model may extract.
import { fitsSchema, type CompiledExtraction } from '@parley/flow-engine/walk/extraction';
import { makeRootHolding, type Variables } from './variables.ts';

const extractionsMax = 20;

/** Results of an extractor: each value that conditions distinguish, one variable at a time. */
export function listExtractions(
  extraction: CompiledExtraction | null,
  variables: Variables,
): Readonly<Record<string, unknown>>[] {
  if (extraction === null) return [];
  const fitting = extraction.variables.map(({ name, schema }) => {
    const values = [...variables.valuesOf(name), 'hello', 1, true, ...readEnum(schema)];
    const marked = values
      .filter((value) => fitsSchema(value, schema))
      .map((value) => {
        const held = makeRootHolding(name, value);
        return [held === null ? '' : variables.mark(held.root, held.value), value] as const;
      });
    // The first value of a mark represents all of them.
    return [name, [...new Map([...marked].reverse()).values()].reverse()] as const;
  });
  const all = Object.fromEntries(
    fitting.flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first]])),
  );
  const single = fitting.flatMap(([name, values]) =>
    values.flatMap((value) => [{ [name]: value }, { ...all, [name]: value }]),
  );
  return [all, ...single].slice(0, extractionsMax);
}

function readEnum(schema: unknown): unknown[] {
  const allowed = (schema as { readonly enum?: unknown } | null)?.enum;
  return Array.isArray(allowed) ? allowed.slice(0, extractionsMax) : [];
}
