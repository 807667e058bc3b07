// `parley flows …`: flows as files, for an editor, a pull request and a pipeline (docs/flows-as-code.md).
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { CommanderError, Option, type Command } from 'commander';
import { systemClock, type Environment } from '@parley/runtime';
import { Parley, ParleyError, type FlowBuilder } from '@parley/sdk';
import type { Output } from '../program.ts';
import { openLock, readFolder, Refused, writeDocument, type FlowFile, type Format } from './folder.ts';
import { junitOf } from './junit.ts';
import { createLocalEngine, type Finding } from './local.ts';
import { diff, planPromotion, planPublish, pull, push, type Plan } from './remote.ts';
import { watchFolder } from './watch-folder.ts';

/** Exit codes (docs/flows-as-code.md#exit-codes). */
const FOUND = 1;
const NOT_DONE = 2;

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
    .description('Flows as files: checked here, and brought to a flow builder and back');

  /** A command over flows of a folder, all of them where none are named. `work` says whether it found nothing wrong. */
  function command<Options extends FolderOptions>(
    name: string,
    description: string,
    work: (ids: string[], options: Options) => Promise<boolean>,
  ): Command {
    return flows
      .command(name)
      .description(description)
      .argument(name === 'publish' || name === 'promote' ? '<ids...>' : '[ids...]', 'flows; default: all')
      .option('--dir <folder>', 'where the files are', 'flows')
      .action(async (ids: string[], options: Options) => {
        let isFine: boolean;
        try {
          isFine = await work(ids, options);
        } catch (error) {
          if (!(error instanceof Refused || error instanceof ParleyError)) throw error;
          explain(`parley: ${error.message}\n`);
          throw new CommanderError(NOT_DONE, 'parley.flows', error.message);
        }
        if (!isFine) throw new CommanderError(FOUND, 'parley.flows', 'something was found');
      });
  }
  const withServer = (one: Command) =>
    one.option('--url <url>', 'of the flow builder; default PARLEY_FLOWS_URL. Its key is PARLEY_FLOWS_KEY');
  const withPlan = (one: Command) =>
    withServer(one).option('--yes', 'do it without asking, as a pipeline must');

  /** All flows of the folder are read, since one may call another. */
  function checked(
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

  function addCheck(name: string, description: string, look: Parameters<typeof checked>[2]): void {
    command<CheckOptions>(name, description, async (ids, options) => {
      const run = () => {
        const findings = checked(ids, options, look);
        if (options.junit) writeFileSync(options.junit, junitOf(findings));
        return findings.every(({ errors }) => errors.length === 0);
      };
      if (!options.watch) return run();
      const stopped = new AbortController();
      process.once('SIGINT', () => stopped.abort());
      await watchFolder(options.dir, () => void said(run), stopped.signal);
      return true;
    })
      .option('--junit <file>', 'also write JUnit XML there')
      .option('--watch', 'again whenever a file changes');
  }

  /** A file that is half written ends no watch. */
  function said(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      explain(`parley: ${error.message}\n`);
    }
  }

  addCheck('validate', 'What validation says of the definitions, without a server', (engine, flow) => [
    engine.validate(flow),
  ]);
  addCheck('test', 'Validate, and play the tests, without a server', (engine, flow) => engine.test(flow));

  command<FolderOptions & { format: Format }>(
    'generate-tests',
    'Write tests that take every edge, without a server',
    async (ids, { dir, format }) => {
      const engine = createLocalEngine(readFolder(dir), systemClock);
      let isFine = true;
      for (const flow of readFolder(dir, ids)) {
        const made = engine.generate(flow);
        isFine &&= made !== null;
        if (made === null) print(`${flow.file}: has errors; validate says which`);
        else {
          // In the place of those that were generated before.
          const own = Object.entries(flow.tests).filter(([name]) => !name.startsWith('generated.'));
          const file = writeDocument(
            dir,
            `${flow.flowId}.tests`,
            { ...Object.fromEntries(own), ...made.tests },
            format,
          );
          print(
            `${flow.flowId}: ${Object.keys(made.tests).length} tests in ${file}, ${made.taken} of ${made.all} edges`,
          );
        }
      }
      return isFine;
    },
  ).addOption(formatOption());

  withServer(
    command<ServerOptions & { format: Format; force?: boolean }>(
      'pull',
      'Write the latest versions and their tests into the folder',
      (ids, { dir, format, force = false, ...options }) => {
        const { server, url } = serverOf(env, options);
        return pull(server, { folder: dir, ids, lock: openLock(dir, url), format, force, print });
      },
    ),
  )
    .addOption(formatOption())
    .option('--force', 'also over files that were changed here');

  withServer(
    command<ServerOptions & { note?: string }>(
      'push',
      'Append versions of what was changed, and store the tests',
      async (ids, { dir, note, ...options }) => {
        const { server, url } = serverOf(env, options);
        const findings = checked(ids, { dir }, (engine, flow) => [engine.validate(flow)]);
        if (findings.some(({ errors }) => errors.length > 0)) return false;
        return push(server, { flows: readFolder(dir, ids), lock: openLock(dir, url), note, print });
      },
    ),
  ).option('--note <text>', 'kept in the version ledger');

  withServer(
    command<ServerOptions>(
      'diff',
      'What the files would change; exits with 1 where they differ',
      async (ids, { dir, ...options }) => {
        return !(await diff(serverOf(env, options).server, readFolder(dir, ids), print));
      },
    ),
  );

  withPlan(
    command<ServerOptions & { yes?: boolean }>(
      'publish',
      'Let the latest versions go live, after a plan',
      async (ids, { yes = false, ...options }) => {
        return carriedOut(await planPublish(serverOf(env, options).server, ids, print), yes);
      },
    ),
  );
  withPlan(
    command<ServerOptions & { yes?: boolean; fromUrl?: string }>(
      'promote',
      'Let what is published in one organisation go live in another, after a plan',
      async (ids, { yes = false, fromUrl, ...options }) => {
        const to = serverOf(env, options);
        const from = clientOf(
          fromUrl ?? env['PARLEY_FROM_URL'] ?? to.url,
          env['PARLEY_FROM_KEY'],
          'PARLEY_FROM_KEY',
        );
        return carriedOut(await planPromotion(from, to.server, ids, print), yes);
      },
    ),
  ).option(
    '--from-url <url>',
    'where it comes from; default PARLEY_FROM_URL, else --url. Its key is PARLEY_FROM_KEY',
  );

  async function carriedOut(plans: readonly Plan[], yes: boolean): Promise<boolean> {
    for (const line of plans.flatMap(({ lines }) => lines)) print(line);
    const runs = plans.flatMap(({ run }) => run ?? []);
    if (runs.length === 0) return true;
    if (!yes && !(await isConfirmed())) throw new Refused('nothing was done');
    for (const run of runs) await run();
    return true;
  }
}

const formatOption = () =>
  new Option('--format <format>', 'of new files')
    .choices(['yaml', 'json'] satisfies Format[])
    .default('yaml');

/** Whoever cannot be asked has to say --yes. */
async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question('Do it? (yes/no) ')).trim().toLowerCase() === 'yes';
  } finally {
    asking.close();
  }
}

function serverOf(env: Environment, { url: given }: { url?: string }): { server: FlowBuilder; url: string } {
  const url = given ?? env['PARLEY_FLOWS_URL'];
  if (url === undefined) throw new Refused('say where the flow builder is: --url, or PARLEY_FLOWS_URL');
  return { server: clientOf(url, env['PARLEY_FLOWS_KEY'], 'PARLEY_FLOWS_KEY'), url };
}

/** Keys come from the environment only: a shell remembers what is typed. */
function clientOf(url: string, key: string | undefined, variable: string): FlowBuilder {
  if (key === undefined) throw new Refused(`${variable} must hold an API key of the flow builder`);
  return new Parley({ flowBuilder: { url, key } }).flowBuilder;
}
