// How a command fails that asks a service: one line for the person, and an exit code.
import { CommanderError } from 'commander';
import { ParleyError } from '@parley/sdk';
import { CommandError } from './flows/folder.ts';

/** Exit code of a command whose work did not succeed (docs/flows-as-code.md#exit-codes). */
const EXIT_FAILED = 2;

/**
 * Runs the work of `parley <command>`. What the person or the service can mend is explained.
 * @throws CommanderError then; any other error of the work
 */
export async function explainFailure<Result>(
  command: string,
  explain: (text: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof ParleyError)) throw error;
    explain(`parley: ${error.message}\n`);
    throw new CommanderError(EXIT_FAILED, `parley.${command}`, error.message);
  }
}
