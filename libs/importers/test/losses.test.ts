// The gate of the importers: every text of a document is in the definition, or named in the report.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { importFlow, type ImportResult } from '../src/index.ts';
import { collectTexts, type FoundText } from './gate/collect.ts';
import { leaveOut } from './gate/leave-out.ts';
import { markTexts, readGateDocument as read } from './gate/mark.ts';
import { gateSchemas } from './gate/schemas.ts';

type Imported = Extract<ImportResult, { ok: true }>;

function importOrThrow(document: unknown): Imported {
  const result = importFlow(document);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

/** The texts that are neither in the definition nor named: none, when the gate holds. */
function findSilentLosses(texts: readonly FoundText[], imported: Imported): string[] {
  const definition = JSON.stringify(imported.definition);
  const named = new Map(imported.losses.map(({ pointer, text }) => [`${pointer} ${text}`, true]));
  // Of a text with a phrase a line each line is a loss.
  for (const { pointer, text } of imported.losses) named.set(`${pointer} ${/w\d+w/u.exec(text)?.[0]}`, true);
  const names = new Set(imported.report.map(({ name }) => name));
  return texts.flatMap(({ pointer, text }) => {
    const [mark] = /w\d+w/u.exec(text) ?? [JSON.stringify(text)];
    const isNamed =
      named.has(`${pointer} ${text.slice(0, 200)}`) || named.has(`${pointer} ${mark}`) || names.has(text);
    return definition.includes(mark) || isNamed ? [] : [`${pointer}: ${text}`];
  });
}

describe.each(gateSchemas.map((schema) => [schema.document, schema] as const))('%s', (_name, schema) => {
  test('is recognised, and its schema describes it', () => {
    const document = read(schema);
    expect(importOrThrow(document).format).toBe(schema.format);
    expect(collectTexts(document, schema.paths).length).toBeGreaterThan(10);
  });

  test('loses no text in silence', () => {
    const document = markTexts(read(schema), schema.paths);
    expect(findSilentLosses(collectTexts(document, schema.paths), importOrThrow(document))).toEqual([]);
  });

  test('loses no text in silence, whatever is left out', () => {
    const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(picks, (picked) => {
        const document = leaveOut(markTexts(read(schema), schema.paths), picked);
        const result = importFlow(document);
        fc.pre(result.ok && result.format === schema.format);
        expect(findSilentLosses(collectTexts(document, schema.paths), importOrThrow(document))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('the gate finds planted faults: a text that the definition lacks, and a loss without a name', () => {
    const document = markTexts(read(schema), schema.paths);
    const texts = collectTexts(document, schema.paths);
    const imported = importOrThrow(document);
    expect(findSilentLosses(texts, { ...imported, losses: [] })).not.toEqual([]);
    const unnamed = { ...imported, losses: [], report: [] };
    const keptText = texts.find(
      ({ pointer, text }) =>
        !findSilentLosses(texts, unnamed).includes(`${pointer}: ${text}`) && /w\d+w/u.test(text),
    )!;
    const [mark] = /w\d+w/u.exec(keptText.text)!;
    const definition = JSON.parse(JSON.stringify(imported.definition).replaceAll(mark, 'gone')) as object;
    expect(findSilentLosses(texts, { ...unnamed, definition: { ...definition } })).toContain(
      `${keptText.pointer}: ${keptText.text}`,
    );
  });

  test('counts its texts', () => {
    const { texts, losses } = importOrThrow(read(schema));
    expect({ ...texts, named: losses.length }).toMatchSnapshot();
    expect(texts.approximated + texts.lost).toBe(losses.length);
  });
});

test('a loss shows no secret, but names its place', () => {
  const secrets = {
    api_key: 'a1',
    apiKey: 'b2',
    clientSecret: 'c3',
    password: 'd4',
    accessToken: 'e5',
    token: 'f6',
  };
  const data = { name: 'Export', token_kind: 'short', ...secrets, headers: { Authorization: 'Bearer g7' } };
  const start = { id: '1', type: 'startCall', data: { name: 'Start', prompt: 'Greet them.' } };
  const { losses } = importOrThrow({ nodes: [start, { id: '2', type: 'noveum', data }], edges: [] });
  const texts = new Map(losses.map(({ pointer, text }) => [pointer.split('/').at(-1), text]));
  for (const member of [...Object.keys(secrets), 'Authorization'])
    expect([member, texts.get(member)]).toEqual([member, '***']);
  expect(texts.get('token_kind')).toBe('short');
});
