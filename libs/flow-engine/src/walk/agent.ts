// Autonomous nodes: the run spec of a bounded agent loop, and what its outcome does to the turn.
// The loop itself runs in the service (in process) or at the caller (out of band).
import type { AutonomousNode } from '../compile/compiled.ts';
import { mergeAgentValues } from './agent-values.ts';
import { toTalk } from './transcript.ts';
import type { AgentOutcome, AgentSpec, AgentTool } from './turn.ts';
import { output, spoken, type Walk } from './walk-state.ts';

/**
 * Normalises the tools. Authors write a name, `{name, description, parameters}` or the OpenAI form
 * `{type: "function", function: {…}}`; entries without a name are dropped.
 */
export function compileAgentTools(tools: readonly unknown[]): AgentTool[] {
  return tools.flatMap((authored) => {
    if (typeof authored === 'string') return [{ name: authored, description: null, parameters: null }];
    const outer = asObject(authored);
    const { name, description, parameters } = asObject(outer['function'] ?? outer);
    if (typeof name !== 'string' || name === '') return [];
    const said = typeof description === 'string' ? description : null;
    return [{ name, description: said, parameters: parameters ?? null }];
  });
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

export function agentSpec(walk: Walk, node: AutonomousNode): AgentSpec {
  const persona = node.addPersona ? walk.flow.persona?.(walk) : null;
  walk.budget.result(node.specBytes);
  const prompt = [persona, node.prompt?.(walk)].filter((text) => text != null && text !== '').join('\n\n');
  const goal = node.goal?.(walk) ?? null;
  const context = readContext(walk, node);
  const talk = node.talkTurnsMax === null ? undefined : toTalk(walk, node, node.talkTurnsMax);
  walk.budget.json([goal, prompt, context, talk ?? null]);
  return {
    nodeId: node.id,
    goal,
    prompt: prompt === '' ? null : prompt,
    tools: node.tools,
    toolDispatch: node.toolDispatch,
    documents: node.documents,
    mcp: node.mcp,
    context,
    maxIterations: node.maxIterations,
    turnBudgetSeconds: node.turnBudgetSeconds,
    outputVar: node.outputVar,
    utterance: spoken(walk),
    talk,
  };
}

/** The context_vars that are set, under the names that the node gives them. */
function readContext(walk: Walk, node: AutonomousNode): AgentSpec['context'] {
  if (node.context === null) return null;
  const read = node.context.map(({ name, read }) => [name, read(walk)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined && value !== null));
}

/**
 * Applies the outcome of an in-process loop to the turn: an action, the output variable, and the
 * answer as a message.
 */
export function applyAgentOutcome(
  walk: Walk,
  node: AutonomousNode,
  spec: AgentSpec,
  outcome: AgentOutcome,
): void {
  walk.budget.json(outcome);
  walk.questions.push({ kind: 'run_agent', nodeId: node.id, outcome: outcome.status });
  if (walk.trace !== null) {
    const { status, failure } = outcome;
    walk.traced = { input: null, extraction: null, ...walk.traced, agent: { status, failure } };
  }
  walk.actions.push({ type: 'autonomous', mode: 'in_process', nodeId: node.id, goal: spec.goal, outcome });
  takeAgentWords(walk, node, outcome);
}

/** Stores the values and the outcome in the variables, and says the answer. */
export function takeAgentWords(walk: Walk, node: AutonomousNode, outcome: AgentOutcome): void {
  const { status, answer, iterations, toolCalls } = outcome;
  walk.budget.json(outcome);
  mergeAgentValues(walk, node, outcome);
  node.write?.(walk.variables, { status, answer, iterations, tool_calls: toolCalls });
  if (answer !== null && answer.trim() !== '') output(walk, 'message', node, answer);
}
