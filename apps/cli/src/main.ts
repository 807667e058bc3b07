// The entry point of `parley`, the operator's program.
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';

const output = {
  print: (line: string) => void process.stdout.write(`${line}\n`),
  explain: (text: string) => void process.stderr.write(text),
};

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram(process.env, output).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode; // commander has printed the message
  } else {
    output.explain(`parley: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
