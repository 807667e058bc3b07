// `npm run examples`: every example flow is stored, tested, published and talked to, over public
// HTTP: in the development stack that runs, or in one that is started for the moment
// (docs/platform.md#development-stack).
import { readExamples } from '../example-files.ts';
import type { Example } from '../example-files.ts';
import { playExample } from '../play-example.ts';
import { CommandError, runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';
import { withStack } from '../with-stack.ts';

async function examples(context: CommandContext): Promise<number> {
  const found = chosenExamples(readExamples(context.root), context.args);
  return withStack(context, async ({ 'flow-builder': builder }, signal) => {
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

await runCommand(examples);
