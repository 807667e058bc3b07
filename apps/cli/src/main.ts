// `parley`: the operator's program. `npm run parley -- …` in a checkout, the same program in an image.
import { program } from './program.ts';

try {
  await program(process.env, (line) => process.stdout.write(`${line}\n`)).parseAsync(process.argv);
} catch (error) {
  process.stderr.write(`parley: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
