// Reads what jest says of a run, and judges it. Pure.

/** The members used of jest's `--json` result. */
export interface JestResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  /** Files that could not be run at all: a syntax error, an import that fails. */
  readonly numRuntimeErrorTestSuites: number;
}

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** What to say besides the closing line, if anything. */
  readonly remark: string | null;
}

/**
 * What several runs come to; those that wrote nothing are left out. Null when none wrote anything.
 */
export function sumOf(results: readonly (JestResult | null)[]): JestResult | null {
  const written = results.filter((result) => result !== null);
  if (written.length === 0) return null;
  const sum = (member: keyof JestResult) => written.reduce((total, result) => total + result[member], 0);
  return {
    numPassedTests: sum('numPassedTests'),
    numFailedTests: sum('numFailedTests'),
    numRuntimeErrorTestSuites: sum('numRuntimeErrorTestSuites'),
  };
}

/**
 * Counts a run. `result` is null when jest wrote none; `status` is its exit status, null when a
 * signal ended it. A file that could not be run counts as one failed test, and so does everything
 * else that makes a run worthless: no test at all, or a jest that failed though every test passed.
 * So `failed` is 0 only for a good run.
 */
export function judgeRun(result: JestResult | null, status: number | null): Verdict {
  const passed = result?.numPassedTests ?? 0;
  const failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
  if (failed > 0) return { passed, failed, remark: null };
  if (status === null) return { passed, failed: 1, remark: 'The run was ended before it was done.' };
  if (passed === 0) return { passed, failed: 1, remark: 'No test was run, which counts as a failure.' };
  if (status !== 0)
    return { passed, failed: 1, remark: `The run ended with status ${status} though no test failed.` };
  return { passed, failed, remark: null };
}

/** The last line of a test run, which CI reads. */
export function closingLine({ passed, failed }: Verdict): string {
  return `${passed} passed, ${failed} failed`;
}

/** Options of jest that take no value, so that what follows them is a file pattern. */
const FLAGS = new Set(['--verbose', '--runInBand', '-i', '--silent', '--bail', '--detectOpenHandles']);

/**
 * Only the end-to-end tests run the bundles. False where the arguments name files and none of
 * `e2eFiles` (absolute paths) matches; true where an option might take one of these names as its
 * value.
 */
export function needsBundles(args: readonly string[], e2eFiles: readonly string[]): boolean {
  const patterns = args.filter((arg) => !arg.startsWith('-'));
  const isUnclear = args.some((arg) => arg.startsWith('-') && !arg.includes('=') && !FLAGS.has(arg));
  if (isUnclear || patterns.length === 0) return true;
  return patterns.some((pattern) => {
    const regex = new RegExp(pattern.replace(/^\.\//, ''), 'i');
    return e2eFiles.some((file) => regex.test(file));
  });
}
