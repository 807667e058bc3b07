// `node apps/dev/bootstrap.mjs tool <file> [arguments]`: as `run`, for programs that need the tools
// of development, for instance `npm run lint`.
import { runCommand } from '../run-command.ts';
import { runProgram } from '../run-program.ts';

await runCommand(runProgram);
