#!/usr/bin/env node
// What `npx parley` runs, in the npm package (src/shipping/package-parley.ts): without a command it
// starts a whole Parley, otherwise it is the operator's program.
import { nodeProblem } from './bootstrap-decisions.mjs';

const problem = nodeProblem(process.versions.node, process.execPath);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}
const [command = 'start'] = process.argv.slice(2);
await import(command === 'start' ? './dist/apps/start/main.mjs' : './dist/apps/cli/main.mjs');
