// The last line of every command that runs jest, which CI reads.
import { readJson } from './stack/index.ts';
import { closingLine, judgeRun, sumOf } from './jest-summary.ts';
import type { JestResult } from './jest-summary.ts';
import type { CommandContext } from './run-command.ts';

/**
 * Sums the results up, says what came of them, and returns the exit status. `status` is that of the
 * run, null when a signal ended it.
 */
export function closeRun({ print }: CommandContext, files: readonly string[], status: number | null): number {
  const verdict = judgeRun(sumOf(files.map((file) => readJson<JestResult>(file))), status);
  if (verdict.remark !== null) print(`\n${verdict.remark}`);
  print(`\n${closingLine(verdict)}`);
  return verdict.failed === 0 ? 0 : 1;
}
