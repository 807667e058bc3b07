// The documents that the services give of themselves are ones that other tools take: Redocly's recommended rules find nothing in them
// (docs/sdk.md#other-clients).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { SERVICES } from './operations-table.ts';

jest.setTimeout(120_000); // some seconds each, on a machine with nothing else to do

const root = fileURLToPath(new URL('../../..', import.meta.url));

test.each(Object.values(SERVICES))('the document of %s has no fault and no warning', async (service) => {
  const program = ['node_modules/@redocly/cli/bin/cli.js', 'lint', `apps/${service}/openapi.json`];
  const options = ['--config', 'libs/sdk/test/redocly.yaml', '--format', 'json'];
  const env = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, [...program, ...options], {
    cwd: root,
    env,
  }).catch(
    (error: { stdout: string }) => error, // faults are its exit status as well
  );
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: { message: string }[] };
  expect(problems).toEqual([]);
});
