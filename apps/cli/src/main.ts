// `parley`: the operator's program. `npm run parley -- …` in a checkout, the same program in an image.
import { CommanderError } from 'commander';
import { program } from './program.ts';

const output = {
  print: (line: string) => void process.stdout.write(`${line}\n`),
  explain: (text: string) => void process.stderr.write(text),
};

try {
  await program(process.env, output).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode; // it has said what is wrong already
  } else {
    output.explain(`parley: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
