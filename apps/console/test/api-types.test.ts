// web/api/*.d.ts are what the services say of themselves in their openapi.json. `npm run docs` writes both anew.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, jest, test } from '@jest/globals';
import { generatedFile } from '@parley/testkit';

jest.setTimeout(60_000); // five seconds each, on a machine with nothing else to do

const root = fileURLToPath(new URL('../../..', import.meta.url));

test.each(['flow-builder', 'voice-api', 'notifications'])('the types of %s are up to date', (service) => {
  const program = ['node_modules/openapi-typescript/bin/cli.js', `apps/${service}/openapi.json`];
  const text = execFileSync(process.execPath, program, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const actual = generatedFile(new URL(`../web/api/${service}.d.ts`, import.meta.url), text);
  expect(actual).toBe(text);
});
