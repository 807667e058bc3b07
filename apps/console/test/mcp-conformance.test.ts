// Runs the conformance suite of the protocol against /mcp (docs/mcp.md#conformance). A relay adds
// the credential that the suite cannot send.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startConsole, type ConsoleUnderTest } from './console-under-test.ts';

jest.setTimeout(120_000);

/** Scenarios that apply to every server. */
const APPLY = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'];

/** Other scenarios, with the reason why they do not apply. New scenarios must be added here. */
const DO_NOT_APPLY = {
  'they call tools of the example server that the suite was written for': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'json-schema-2020-12',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'server-sse-polling',
  ],
  'they read resources of that server': [
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
  ],
  'they are about capabilities that /mcp does not declare': [
    'logging-set-level',
    'completion-complete',
    'resources-subscribe',
    'resources-unsubscribe',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  'it is about sessions, and /mcp has none': ['server-sse-multiple-streams'],
} as const;

const program = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const results = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
let relay: Server;
let app: ConsoleUnderTest;
beforeAll(async () => {
  relay = createServer((incoming, response) => {
    const { method, headers } = incoming;
    const onward = { method, headers: { ...headers, authorization: 'Bearer fb_test_1' } };
    const upstream = send(new URL(incoming.url!, `http://127.0.0.1:${app.port}`), onward, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    upstream.once('error', () => response.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  app = await startConsole({ PUBLIC_URL: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  relay.closeAllConnections();
  relay.close();
  await app.stop();
  rmSync(results, { recursive: true });
});

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

test('passes every scenario that applies, and explains the others', async () => {
  const { port } = relay.address() as AddressInfo;
  const args = ['server', '--url', `http://127.0.0.1:${port}/mcp`, '--suite', 'all', '--output-dir', results];
  // The exit status covers all scenarios.
  await new Promise((resolve) => execFile(process.execPath, [program, ...args], { cwd: results }, resolve));
  const found = Object.fromEntries(
    readdirSync(results).map((folder) => [
      /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(folder)![1]!,
      JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[],
    ]),
  );
  expect(Object.keys(found).sort()).toEqual([...APPLY, ...Object.values(DO_NOT_APPLY).flat()].sort());
  for (const scenario of APPLY) {
    const said = found[scenario]!.map(({ id, status, errorMessage }) => ({ id, status, errorMessage }));
    expect({ scenario, said }).toEqual({ scenario, said: said.map(({ id }) => ({ id, status: 'SUCCESS' })) });
    expect(said).not.toEqual([]);
  }
});
