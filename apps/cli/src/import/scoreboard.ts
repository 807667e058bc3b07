// Counts by format how many documents of a folder are imported, and how many of their nodes are
// kept.
import { validateFlow } from '@parley/flow-analysis';
import { limits, parseFlow } from '@parley/flow-engine';
import { importFlow, type FormatName, type Outcome } from '@parley/importers';
import { readSources } from './sources.ts';

interface Score extends Record<Outcome, number> {
  files: number;
  parsed: number;
  valid: number;
}

/** The lines of the table, one row per format, then the unrecognised documents. */
export async function* scoreboard(folder: string): AsyncGenerator<string> {
  const scores = new Map<FormatName, Score>();
  const refused: string[] = [];
  for await (const { path, document } of readSources(folder)) {
    const imported = importFlow(document);
    if (!imported.ok) {
      refused.push(`${path}: ${imported.reason}`);
      continue;
    }
    const score = scores.get(imported.format) ?? empty();
    scores.set(imported.format, score);
    score.files += 1;
    for (const { outcome } of imported.report) score[outcome] += 1;
    const parsed = parseFlow(imported.definition);
    if (!parsed.ok) continue;
    score.parsed += 1;
    if (validateFlow(parsed.flow, { stepsMax: limits.stepsMax }).valid) score.valid += 1;
  }
  const columns = ['files', 'parsed', 'valid', 'mapped', 'approximated', 'dropped'] as const;
  yield line(['format', ...columns, 'kept']);
  for (const [format, score] of scores) {
    const nodes = score.mapped + score.approximated + score.dropped;
    const kept = nodes === 0 ? '-' : `${(100 - (100 * score.dropped) / nodes).toFixed(1)} %`;
    yield line([format, ...columns.map((column) => String(score[column])), kept]);
  }
  yield* refused.map((reason) => `refused: ${reason}`);
}

const empty = (): Score => ({ files: 0, parsed: 0, valid: 0, mapped: 0, approximated: 0, dropped: 0 });
const line = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(14) : cell.padStart(13))).join('');
