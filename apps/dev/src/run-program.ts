import type { CommandContext } from './run-command.ts';
import { runNode } from './throwaway.ts';

/** Runs the program that the arguments name, with tsx; its exit status. */
export async function runProgram(context: CommandContext): Promise<number> {
  const program = ['--import', 'tsx', ...context.args];
  return (await runNode(context, program, {}, new AbortController().signal)) ?? 1;
}
