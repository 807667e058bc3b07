// `npm run coverage`: of flows, which edges generated tests take; `-- answers <folder>`: of
// utterances, which are understood.
import { printAnswers } from './answers/print-coverage.ts';
import { printEdges } from './flow/print-edge-coverage.ts';

const [first, ...others] = process.argv.slice(2);
if (first === 'answers') printAnswers(others);
else printEdges(process.argv.slice(2));
