import { describe, expect, test } from '@jest/globals';
import { closingLine, judgeRun, needsBundles } from './jest-summary.ts';

describe('judgeRun', () => {
  const result = (numPassedTests: number, numFailedTests = 0, numRuntimeErrorTestSuites = 0) => ({
    numPassedTests,
    numFailedTests,
    numRuntimeErrorTestSuites,
  });

  test.each([
    ['all passed', result(12), 0, '12 passed, 0 failed'],
    ['some failed', result(10, 2), 1, '10 passed, 2 failed'],
    ['a file that could not run counts', result(10, 0, 1), 1, '10 passed, 1 failed'],
    ['both', result(10, 2, 1), 1, '10 passed, 3 failed'],
    ['no file matched', null, 1, '0 passed, 1 failed'],
    ['every test was left out by -t', result(0), 0, '0 passed, 1 failed'],
    ['jest was killed', null, null, '0 passed, 1 failed'],
    ['killed while it wrote', result(5), null, '5 passed, 1 failed'],
    ['jest failed for a reason of its own', result(5), 1, '5 passed, 1 failed'],
  ])('%s', (_what, json, status, line) => {
    const verdict = judgeRun(json, status);
    expect(closingLine(verdict)).toBe(line);
    expect(verdict.remark === null).toBe(
      line === '12 passed, 0 failed' ||
        (json?.numFailedTests ?? 0) + (json?.numRuntimeErrorTestSuites ?? 0) > 0,
    );
  });
});

const e2eFiles = ['/parley/apps/e2e/test/story.test.ts', '/parley/apps/e2e/src/siege/targets.test.ts'];

test.each([
  [[], true],
  [['apps/e2e'], true],
  [['readme'], false],
  [['libs/server/http', 'story'], true],
  [['--coverage'], true],
  [['libs/server/http'], false],
  [['./libs/server/http/src/app.test.ts', 'apps/voice-api'], false],
  [['libs/server/http', '--verbose'], false],
  [['libs/server/http', '-t', 'limits'], true],
  [['webhooks.int'], false],
  [['webhooks.int', 'story'], true],
])('needsBundles %j: %s', (args, needed) => {
  expect(needsBundles(args, e2eFiles)).toBe(needed);
});
