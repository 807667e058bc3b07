// Answers of the calling program to a waiting node: a result for every value that some condition
// distinguishes, and the failures.
import type { AutonomousNode } from '@parley/flow-engine/compile/compiled';
import type { HandoffStatus } from '@parley/flow-engine/define/waits';
import { compileWriter, ownMember, parsePath } from '@parley/flow-engine/read/paths';
import type { AwaitingNode } from '@parley/flow-engine/walk/caller-answer';
import type { ScriptTurn } from '../script.ts';
import { listExtractions } from './extractions.ts';
import { makeRootHolding, type Variables } from './variables.ts';

/** Answers that are tried at one node. */
const answersMax = 40;
/** Codes of errors and reasons of handoffs: callers limit their length. */
const codeCharsMax = 128;

const handoffStatuses: readonly HandoffStatus[] = ['returned', 'failed'];

/** In a fixed order, results before failures. */
export function listCallerAnswers(node: AwaitingNode, variables: Variables): ScriptTurn[] {
  if (node.type === 'handoff') {
    const reasons = [undefined, ...codes(variables, '_handoff_reason')];
    return handoffStatuses.flatMap((status) =>
      reasons.map((reason) => ({
        handoff_result: { status, ...(reason === undefined ? {} : { reason }) },
      })),
    );
  }
  const errors = ['failed', ...codes(variables, '_tool_error')].map((code) => ({
    tool_result: { error: { code, message: 'It failed' } },
  }));
  const results = listResults(node.outputVar, variables).flatMap((result) => {
    const complete = addReadMembers(result, node.outputVar, variables);
    return complete === result ? [result] : [complete, result];
  });
  return [...results.map((result) => ({ tool_result: { result } })), ...errors];
}

/** Words of an agent that talks: with each branch, outcome and value, and a failure. */
export function listAgentWords(
  { outputVar, routes, values }: AutonomousNode,
  variables: Variables,
): ScriptTurn[] {
  const answer = 'How can I help?';
  const branches = routes.choices.slice(0, answersMax).map((_, branch) => ({ answer, branch }));
  const statuses = listResults(outputVar, variables).flatMap((outcome) => {
    const status = ownMember(outcome, 'status');
    return typeof status === 'string' && status !== 'replied' ? [{ answer, status }] : [];
  });
  const found = listExtractions(values, variables).map((one) => ({ answer, values: one }));
  const results = [{ answer }, ...branches, ...statuses, ...found].map((result) => ({
    tool_result: { result },
  }));
  return [...results, { tool_result: { error: { code: 'failed', message: 'It failed' } } }];
}

const codes = (variables: Variables, name: string): string[] =>
  variables
    .valuesOf(name)
    .filter((value) => typeof value === 'string' && value !== '' && value.length <= codeCharsMax)
    .slice(0, answersMax)
    .map(String);

/** Adds the members that texts read: a result without them counts as an error. */
function addReadMembers(result: unknown, variable: string | null, { textPaths }: Variables): unknown {
  const holds = variable === null ? null : makeRootHolding(variable, result);
  if (holds === null || typeof result !== 'object' || result === null) return result;
  const bag: Record<string, unknown> = { [holds.root]: holds.value };
  const within = parsePath(variable!) ?? [];
  const read = (path: readonly string[]) =>
    path.reduce<unknown>((value, step) => ownMember(value, step), bag);
  const missing = textPaths.filter((path) => {
    const steps = path.split('.');
    const isWithin = steps.length > within.length && within.every((step, at) => step === steps[at]);
    return isWithin && (read(steps) ?? null) === null;
  });
  for (const path of missing) compileWriter(path)?.(bag, 'hello');
  return missing.length === 0 ? result : read(within);
}

/** Values of the variable on either side of every comparison. */
function listResults(variable: string | null, variables: Variables): unknown[] {
  const results = new Map<string, unknown>([['', {}]]);
  const [root, ...steps] = parsePath(variable ?? '') ?? [];
  const within = [root, ...steps].join('.');
  for (const path of variables.paths) {
    if (root === undefined || (path !== within && !path.startsWith(`${within}.`))) continue;
    for (const value of variables.valuesOf(path)) {
      const held = value === undefined ? null : makeRootHolding(path, value);
      if (held === null || results.size > answersMax) continue;
      let result = held.value;
      for (const step of steps) result = ownMember(result, step);
      const mark = variables.mark(root, held.value);
      if (result !== undefined && !results.has(mark)) results.set(mark, result);
    }
  }
  return [...results.values()];
}
