// `npm run test:documents`: Spectral finds nothing in the OpenAPI documents, and clients that three
// generators make of them compile and are answered (docs/sdk.md#other-clients).
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  callClients,
  compileClients,
  generateClients,
  GENERATORS,
  SERVICES,
} from '../documents/generated-clients.ts';
import { runCommand } from '../run-command.ts';
import { startStack } from '../stack/index.ts';
import { withThrowaway } from '../throwaway.ts';

const run = promisify(execFile);
const LINTERS: Readonly<Record<string, string>> = {
  '@stoplight/spectral-cli': '6.16.3',
  '@stoplight/spectral-owasp-ruleset': '2.0.1',
};

await runCommand((context) =>
  withThrowaway(context, 'documents', async ({ home, signal }) => {
    const { root, env, report, print } = context;
    const tools = join(home, 'tools');
    const checkout = { root, tools };
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'package.json'), '{"private":true,"type":"module"}');
    const packages = Object.entries({ ...LINTERS, ...GENERATORS }).map(
      ([name, version]) => `${name}@${version}`,
    );
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await report.step(`${packages.length} packages of npm installed`, () =>
      run('npm', ['install', '--prefix', tools, ...quiet, ...packages], { cwd: tools, signal }),
    );
    await report.step('Spectral finds nothing in the documents', () => lintDocuments(root, tools));
    await report.step('clients generated', () => generateClients(checkout));
    await report.step('clients compile with strict types', () => compileClients(checkout));
    const options = { root, home: join(home, 'stack'), env, report, signal, throwaway: true };
    const stack = await startStack(options);
    try {
      await report.step('the services answer the clients', () => callClients(checkout, stack));
    } finally {
      await stack.stop();
    }
    print(`\n${Object.keys(GENERATORS).length - 1} clients passed, 0 failed`);
    return 0;
  }),
);

/** Places of the ruleset are below its own folder. @throws Error with the findings */
async function lintDocuments(root: string, tools: string): Promise<void> {
  const ruleset = join(tools, 'spectral.yaml');
  copyFileSync(join(root, 'apps', 'dev', 'src', 'documents', 'spectral.yaml'), ruleset);
  const documents = SERVICES.map((service) => join(tools, 'documents', service, 'openapi.json'));
  for (const [at, service] of SERVICES.entries()) {
    mkdirSync(join(tools, 'documents', service), { recursive: true });
    copyFileSync(join(root, 'apps', service, 'openapi.json'), documents[at]!);
  }
  const spectral = join(tools, 'node_modules', '.bin', 'spectral');
  const args = ['lint', '--ruleset', ruleset, '--fail-severity', 'hint', ...documents];
  await run(spectral, args, { cwd: tools }).catch(({ stdout }: { stdout: string }) => {
    throw new Error(`Spectral finds:\n${stdout}`);
  });
}
