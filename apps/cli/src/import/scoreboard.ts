// Counts by format how many documents of a folder are imported, and what became of their nodes and
// of their texts.
import { validateFlow } from '@parley/flow-analysis';
import { limits, parseFlow } from '@parley/flow-engine';
import { importFlow, type FormatName, type Outcome, type TextCounts } from '@parley/importers';
import { readSources } from './sources.ts';

interface Score extends Record<Outcome, number> {
  /** Texts, prompts and names of the documents that stand in the definitions, changed or not. */
  texts: Record<keyof TextCounts, number>;
  files: number;
  parsed: number;
  valid: number;
}

const TEXTS = ['kept', 'approximated', 'lost'] as const;

/** The lines of two tables, nodes and texts by format, then the unrecognised documents. */
export async function* scoreboard(folder: string): AsyncGenerator<string> {
  const scores = new Map<FormatName, Score>();
  const refused: string[] = [];
  for await (const { path, document } of readSources(folder)) {
    const imported = importFlow(document);
    if (!imported.ok) {
      refused.push(`${path}: ${imported.reason.split(';')[0]}`);
      continue;
    }
    const score = scores.get(imported.format) ?? empty();
    scores.set(imported.format, score);
    score.files += 1;
    for (const { outcome } of imported.report) score[outcome] += 1;
    for (const outcome of TEXTS) score.texts[outcome] += imported.texts[outcome];
    const parsed = parseFlow(imported.definition);
    if (!parsed.ok) continue;
    score.parsed += 1;
    if (validateFlow(parsed.flow, { stepsMax: limits.stepsMax }).valid) score.valid += 1;
  }
  const columns = ['files', 'parsed', 'valid', 'mapped', 'approximated', 'dropped'] as const;
  yield line(['format', ...columns, 'kept']);
  for (const [format, score] of scores) {
    const nodes = score.mapped + score.approximated + score.dropped;
    const kept = toShare(nodes - score.dropped, nodes);
    yield line([format, ...columns.map((column) => String(score[column])), kept]);
  }
  yield line(['format', 'texts', ...TEXTS, 'share']);
  for (const [format, { texts }] of scores) {
    const all = texts.kept + texts.approximated + texts.lost;
    const cells = [all, ...TEXTS.map((outcome) => texts[outcome])];
    yield line([format, ...cells.map(String), toShare(texts.kept + texts.approximated, all)]);
  }
  yield* refused.map((reason) => `refused: ${reason}`);
}

const toShare = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

const empty = (): Score => ({
  files: 0,
  parsed: 0,
  valid: 0,
  mapped: 0,
  approximated: 0,
  dropped: 0,
  texts: { kept: 0, approximated: 0, lost: 0 },
});
const line = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(14) : cell.padStart(13))).join('');
