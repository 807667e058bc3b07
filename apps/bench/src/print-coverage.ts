// `npm run coverage`: of flows, which edges generated tests take; `-- answers <folder>`: of
// utterances, which are understood; `-- intents <folder>`: which branch examples choose.
import { printAnswers } from './answers/print-coverage.ts';
import { printIntents } from './flow/print-intents.ts';
import { printEdges } from './flow/print-edge-coverage.ts';

const [first, ...others] = process.argv.slice(2);
if (first === 'answers') printAnswers(others);
else if (first === 'intents') printIntents(others);
else printEdges(process.argv.slice(2));
