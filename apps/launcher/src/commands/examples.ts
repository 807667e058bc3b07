// `npm run examples`: every example flow is stored, tested, published and talked to, over public HTTP: in the development stack
// that runs, or in one that is started for the moment (platform §8).
import { join } from 'node:path';
import { FolderLocked, lockHolder, openLedger, readJson, startStack } from '@parley/stack';
import type { FlowBuilderAccess } from '../call-flow-builder.ts';
import type { DevFile } from '../dev-file.ts';
import { readExamples } from '../example-files.ts';
import type { Example } from '../example-files.ts';
import { playExample } from '../play-example.ts';
import { CommandError, runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';
import { StopRequested, watchSignals } from '../signals.ts';

async function examples(context: CommandContext): Promise<number> {
  const found = chosenExamples(readExamples(context.root), context.args);
  return withFlowBuilder(context, async (builder, signal) => {
    const failed: string[] = [];
    for (const example of found) {
      signal.throwIfAborted();
      context.print(`\n${example.name}\n  ${example.description}`);
      try {
        await playExample(builder, example, context.print);
      } catch (error) {
        context.print(`  ✗ ${error instanceof Error ? error.message : String(error)}`);
        failed.push(example.flow_id);
      }
    }
    context.print(
      failed.length === 0
        ? `\nAll ${found.length} examples work. They are published; ask for one by its flow_id: ${found.map(({ flow_id }) => flow_id).join(', ')}.`
        : `\n${failed.length} of ${found.length} examples do not work: ${failed.join(', ')}.`,
    );
    return failed.length === 0 ? 0 : 1;
  });
}

/** All, or those that are named on the command line. */
function chosenExamples(all: readonly Example[], names: readonly string[]): readonly Example[] {
  if (names.length === 0) return all;
  return names.map((name) => {
    const found = all.find(({ flow_id }) => flow_id === name);
    if (found !== undefined) return found;
    throw new CommandError(`"${name}" is none of ${all.map(({ flow_id }) => flow_id).join(', ')}.`);
  });
}

type Work = (builder: FlowBuilderAccess, signal: AbortSignal) => Promise<number>;

/** Works with the running stack; without one, starts it on free ports, with the same data, and stops it again. */
async function withFlowBuilder(context: CommandContext, work: Work): Promise<number> {
  const { root, home, env, report, print } = context;
  const isOurs = lockHolder(join(home, 'stack.lock')) === null;
  const stopped = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => print('\nStopping (Ctrl-C again ends at once) …'),
    () => {
      // The processes of a stack that was there before are not ours to end.
      if (isOurs) openLedger(join(home, 'processes.json')).killNow();
      process.exit(1);
    },
  );
  try {
    if (!isOurs) {
      const running = readJson<DevFile>(join(home, 'dev.json'));
      if (running === null) throw new CommandError(BUSY);
      const { base_url, api_key } = running.services['flow-builder'];
      return await work({ origin: new URL(base_url).origin, apiKey: api_key }, stopped.signal);
    }
    const stack = await startStack({ root, home, env, report, signal: stopped.signal });
    try {
      return await work(stack.services['flow-builder'], stopped.signal);
    } finally {
      await stack.stop();
      print('Everything is stopped; the examples are there at the next `npm start`.');
    }
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    if (error instanceof FolderLocked) throw new CommandError(BUSY);
    throw error;
  }
}

const BUSY = 'The development stack is just starting or stopping. Try again in a moment.';

await runCommand(examples);
