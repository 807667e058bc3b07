// How well the flows of a folder are imported: what is parsed, what is valid, and what becomes of their nodes.
import { parseFlow, validateFlow } from '@parley/flow-engine';
import { importFlow, type FormatName, type Outcome } from '@parley/importers';
import { sourcesIn } from './sources.ts';

/** Node visits of one turn, as the service has it (FLOW_STEPS_MAX). */
const STEPS_MAX = 200;

interface Score extends Record<Outcome, number> {
  files: number;
  parsed: number;
  valid: number;
}

/** Lines of a table, a row a format. A document that no format knows is named below it. */
export async function* scoreboard(folder: string): AsyncGenerator<string> {
  const scores = new Map<FormatName, Score>();
  const refused: string[] = [];
  for await (const { path, document } of sourcesIn(folder)) {
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
    if (validateFlow(parsed.flow, { stepsMax: STEPS_MAX }).valid) score.valid += 1;
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
