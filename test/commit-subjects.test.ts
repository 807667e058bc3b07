// .ci/check-subjects refuses the commit subjects that CONTRIBUTING does not allow.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const script = fileURLToPath(new URL('../.ci/check-subjects', import.meta.url));

test.each([
  ['Add a limit to the rests of the fair queue', 0],
  [`Add ${'a'.repeat(68)}`, 0],
  [`Add ${'a'.repeat(69)}`, 1],
  ['Add a limit.', 1],
  ['fix: limits', 1],
])('%s: %i', (subject, status) => {
  const subjects = `Keep this one\n${subject}\n`;
  expect(spawnSync(script, { input: subjects }).status).toBe(status);
});
