// `node apps/dev/bootstrap.mjs run <file> [arguments]`: a program of the repository, for instance
// `npm run parley`, once its packages are installed.
import { runCommand } from '../run-command.ts';
import { runProgram } from '../run-program.ts';

await runCommand(runProgram);
