// `parley flows …`: the commands for flows as files (docs/flows-as-code.md).
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { CommanderError, Option, type Command } from 'commander';
import { systemClock, type Environment } from '@parley/server/runtime';
import { Parley, type FlowBuilder } from '@parley/sdk';
import { explainFailure } from '../command-failure.ts';
import type { Output } from '../program.ts';
import { openLock, readFolder, CommandError, writeDocument, type FlowFile, type Format } from './folder.ts';
import { toJunit } from './junit.ts';
import { createLocalEngine, type Finding } from './local.ts';
import { diff, planPromotion, planPublish, pull, push, type Plan } from './remote.ts';
import { watchFolder } from './watch-folder.ts';

/** Exit code of findings (docs/flows-as-code.md#exit-codes). */
const EXIT_FINDINGS = 1;

interface FolderOptions {
  readonly dir: string;
}
interface CheckOptions extends FolderOptions {
  readonly junit?: string;
  readonly watch?: boolean;
}
interface ServerOptions extends FolderOptions {
  readonly url?: string;
}

export function addFlows(parley: Command, env: Environment, { print, explain }: Output): void {
  const flows = parley
    .command('flows')
    .description('Flows as files: validate and test them, and synchronise them with a flow builder');

  /** A command for flows of a folder. `work` returns whether it found nothing wrong. */
  function command<Options extends FolderOptions>(
    name: string,
    description: string,
    work: (ids: string[], options: Options) => Promise<boolean>,
  ): Command {
    return flows
      .command(name)
      .description(description)
      .argument(
        name === 'publish' || name === 'promote' ? '<ids...>' : '[ids...]',
        'ids of flows; default: all',
      )
      .option('--dir <folder>', 'folder of the files', 'flows')
      .action(async (ids: string[], options: Options) => {
        const isFine = await explainFailure('flows', explain, () => work(ids, options));
        if (!isFine) throw new CommanderError(EXIT_FINDINGS, 'parley.flows', 'there are findings');
      });
  }
  const withServer = (one: Command) =>
    one.option(
      '--url <url>',
      'URL of the flow builder; default PARLEY_FLOWS_URL. Set its key in PARLEY_FLOWS_KEY',
    );
  const withPlan = (one: Command) =>
    withServer(one).option('--yes', 'skip the confirmation; required without a terminal');

  /** Reads the whole folder, because a flow may call another one. */
  function check(
    ids: string[],
    { dir }: FolderOptions,
    look: (engine: ReturnType<typeof createLocalEngine>, flow: FlowFile) => readonly Finding[],
  ): Finding[] {
    const engine = createLocalEngine(readFolder(dir), systemClock);
    const findings = readFolder(dir, ids).flatMap((flow) => look(engine, flow));
    for (const { file, name, errors, warnings } of findings) {
      const place = name === 'definition' ? file : `${file}: ${name}`;
      for (const error of errors) print(`${place}: error ${error}`);
      for (const warning of warnings) print(`${place}: warning ${warning}`);
    }
    const failed = findings.filter(({ errors }) => errors.length > 0).length;
    print(`${findings.length - failed} passed, ${failed} failed`);
    return findings;
  }

  function addCheck(name: string, description: string, look: Parameters<typeof check>[2]): void {
    command<CheckOptions>(name, description, async (ids, options) => {
      const run = () => {
        const findings = check(ids, options, look);
        if (options.junit) writeFileSync(options.junit, toJunit(findings));
        return findings.every(({ errors }) => errors.length === 0);
      };
      if (!options.watch) return run();
      const stopped = new AbortController();
      process.once('SIGINT', () => stopped.abort());
      await watchFolder(options.dir, () => void runUnlessBroken(run), stopped.signal);
      return true;
    })
      .option('--junit <file>', 'also write the results as JUnit XML')
      .option('--watch', 'run again whenever a file changes');
  }

  /** A half-written file must not end a watch. */
  function runUnlessBroken(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      explain(`parley: ${error.message}\n`);
    }
  }

  addCheck('validate', 'Validate the definitions, without a server', (engine, flow) => [
    engine.validate(flow),
  ]);
  addCheck('test', 'Validate the definitions and run their tests, without a server', (engine, flow) =>
    engine.test(flow),
  );

  command<FolderOptions & { format: Format }>(
    'generate-tests',
    'Generate tests that cover every edge, without a server',
    async (ids, { dir, format }) => {
      const engine = createLocalEngine(readFolder(dir), systemClock);
      let isFine = true;
      for (const flow of readFolder(dir, ids)) {
        const generated = engine.generate(flow);
        isFine &&= generated !== null;
        if (generated === null) print(`${flow.file}: has errors; \`flows validate\` lists them`);
        else {
          // Replaces the generated tests of an earlier run.
          const own = Object.entries(flow.tests).filter(([name]) => !name.startsWith('generated.'));
          const file = writeDocument(
            dir,
            `${flow.flowId}.tests`,
            { ...Object.fromEntries(own), ...generated.tests },
            format,
          );
          print(
            `${flow.flowId}: ${Object.keys(generated.tests).length} tests in ${file}, ${generated.taken} of ${generated.all} edges`,
          );
        }
      }
      return isFine;
    },
  ).addOption(formatOption());

  withServer(
    command<ServerOptions & { format: Format; force?: boolean }>(
      'pull',
      'Write the latest versions and their tests to the folder',
      (ids, { dir, format, force = false, ...options }) => {
        const { server, url } = connect(env, options);
        return pull(server, { folder: dir, ids, lock: openLock(dir, url), format, force, print });
      },
    ),
  )
    .addOption(formatOption())
    .option('--force', 'overwrite files with local changes');

  withServer(
    command<ServerOptions & { note?: string; publish?: boolean }>(
      'push',
      'Append a version of each changed flow, and store the tests',
      async (ids, { dir, note, publish = false, ...options }) => {
        const { server, url } = connect(env, options);
        const findings = check(ids, { dir }, (engine, flow) => [engine.validate(flow)]);
        if (findings.some(({ errors }) => errors.length > 0)) return false;
        const flows = readFolder(dir, ids);
        return push(server, { flows, lock: openLock(dir, url), note, publishes: publish, print });
      },
    ),
  )
    .option('--note <text>', 'note in the version ledger')
    .option('--publish', 'publish each flow before the flows that call it');

  withServer(
    command<ServerOptions>(
      'diff',
      'Show what the files would change; exits with 1 when they differ',
      async (ids, { dir, ...options }) => {
        return !(await diff(connect(env, options).server, readFolder(dir, ids), print));
      },
    ),
  );

  withPlan(
    command<ServerOptions & { yes?: boolean }>(
      'publish',
      'Publish the latest versions, after a plan',
      async (ids, { yes = false, ...options }) => {
        return confirmAndRun(await planPublish(connect(env, options).server, ids, print), yes);
      },
    ),
  );
  withPlan(
    command<ServerOptions & { yes?: boolean; fromUrl?: string }>(
      'promote',
      'Publish the published versions of one organisation in another one, after a plan',
      async (ids, { yes = false, fromUrl, ...options }) => {
        const to = connect(env, options);
        const from = createClient(
          fromUrl ?? env['PARLEY_FROM_URL'] ?? to.url,
          env['PARLEY_FROM_KEY'],
          'PARLEY_FROM_KEY',
        );
        return confirmAndRun(await planPromotion(from, to.server, ids, print), yes);
      },
    ),
  ).option(
    '--from-url <url>',
    'URL of the source; default PARLEY_FROM_URL, else --url. Set its key in PARLEY_FROM_KEY',
  );

  async function confirmAndRun(plans: readonly Plan[], yes: boolean): Promise<boolean> {
    for (const line of plans.flatMap(({ lines }) => lines)) print(line);
    const runs = plans.flatMap(({ run }) => run ?? []);
    if (runs.length === 0) return true;
    if (!yes && !(await isConfirmed()))
      throw new CommandError('nothing was done: confirm with "yes", or pass --yes');
    for (const run of runs) await run();
    return true;
  }
}

const formatOption = () =>
  new Option('--format <format>', 'format of new files')
    .choices(['yaml', 'json'] satisfies Format[])
    .default('yaml');

/** Without a terminal nobody can confirm. */
async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question('Do it? (yes/no) ')).trim().toLowerCase() === 'yes';
  } finally {
    asking.close();
  }
}

function connect(env: Environment, { url: given }: { url?: string }): { server: FlowBuilder; url: string } {
  const url = given ?? env['PARLEY_FLOWS_URL'];
  if (url === undefined) throw new CommandError('no flow builder: pass --url, or set PARLEY_FLOWS_URL');
  return { server: createClient(url, env['PARLEY_FLOWS_KEY'], 'PARLEY_FLOWS_KEY'), url };
}

/** Keys come from the environment only, because a shell stores options in its history. */
function createClient(url: string, key: string | undefined, variable: string): FlowBuilder {
  if (key === undefined) throw new CommandError(`${variable} must hold an API key of the flow builder`);
  return new Parley({ flowBuilder: { url, key } }).flowBuilder;
}
