// For every validation code: flows that show it, with the place, and near misses that do not.
import type { ValidationCode } from '../../src/index.ts';
import { agents } from './agent.ts';
import { answerRules } from './answer-rules.ts';
import { calls } from './calls.ts';
import { commandCodes } from './commands.ts';
import { data } from './data.ts';
import { branchExamples } from './examples.ts';
import { nodes } from './nodes.ts';
import { reachability } from './reachability.ts';
import { routesNeverTaken } from './routes-never-taken.ts';
import { routing } from './routing.ts';
import { severalAnswers } from './several-answers.ts';
import { structure } from './structure.ts';
import { variables } from './variables.ts';
import { waits } from './waits.ts';
import { webhooks } from './webhook.ts';
import type { Examples } from './pieces.ts';

/** A code without examples does not compile. */
export const examples: Readonly<Record<ValidationCode, Examples>> = {
  ...structure,
  ...routing,
  ...routesNeverTaken,
  ...reachability,
  ...calls,
  ...data,
  ...branchExamples,
  ...commandCodes,
  ...answerRules,
  ...severalAnswers,
  ...agents,
  ...nodes,
  ...variables,
  ...waits,
  ...webhooks,
};
