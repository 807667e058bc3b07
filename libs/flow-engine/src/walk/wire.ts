// TurnResult -> the members of the execute answer (docs/flow-language.md#execute). Null members are
// absent, except those that every answer has. The service puts flow_id, version and session_id
// before them.
import type { TraceStep } from './trace-step.ts';
import type { Action, AgentSpec, TurnInputResult, TurnResult } from './turn.ts';

type Wire = Readonly<Record<string, unknown>>;

export interface TurnWire {
  readonly status: TurnResult['status'];
  readonly next_node: string | null;
  readonly outputs: readonly Wire[];
  readonly actions: readonly Wire[];
  readonly variables: Wire;
  readonly input: Wire | null;
  readonly steps: number;
  readonly trace?: readonly Wire[];
}

export function turnResultToWire(result: TurnResult): TurnWire {
  const { status, nextNode, actions, variables, steps, trace } = result;
  const outputs: Wire[] = [];
  for (const { type, nodeId, text } of result.outputs) outputs.push({ type, node_id: nodeId, text });
  const wire = {
    status,
    next_node: nextNode,
    outputs,
    actions: actions.map(actionToWire),
    variables,
    input: result.input && inputToWire(result.input),
    steps,
  };
  return trace === null ? wire : { ...wire, trace: trace.map(traceStepToWire) };
}

/** Written out, not filtered like the rarer members below: nearly every turn has it. */
function inputToWire(result: TurnInputResult): Wire {
  const wire = ownInputToWire(result);
  return result.filled.length === 0 ? wire : { ...wire, filled: result.filled };
}

function ownInputToWire(result: TurnInputResult): Wire {
  const { status, nodeId, variable, ambiguous, reading, unread, decidedBy } = result;
  const input = variable === null ? { status, node_id: nodeId } : { status, node_id: nodeId, variable };
  if (reading !== null) return unread.length === 0 ? { ...input, reading } : { ...input, reading, unread };
  if (decidedBy === 'model' || decidedBy === 'example' || decidedBy === 'embedded')
    return { ...input, decided_by: decidedBy };
  return ambiguous ? { ...input, ambiguous } : input;
}

function actionToWire(action: Action): Wire {
  const head = { type: action.type, node_id: action.nodeId };
  switch (action.type) {
    case 'tool':
      return present({
        ...head,
        tool: action.tool,
        args: action.args,
        output_var: action.outputVar,
        call_id: action.callId,
      });
    case 'handoff':
      return present({ ...head, target: action.target, reason: action.reason });
    case 'autonomous': {
      if (action.mode === 'out_of_band')
        return present({ ...head, call_id: action.callId, ...runSpecToWire(action.spec) });
      const { status, answer, iterations, toolCalls } = action.outcome;
      return present({ ...head, goal: action.goal, status, answer, iterations, tool_calls: toolCalls });
    }
  }
}

function runSpecToWire(spec: AgentSpec): Wire {
  return {
    goal: spec.goal,
    prompt: spec.prompt,
    tools: spec.tools?.map((tool) => present({ ...tool })),
    tool_dispatch: spec.toolDispatch,
    documents: spec.documents,
    mcp: spec.mcp,
    context: spec.context,
    max_iterations: spec.maxIterations,
    turn_budget: spec.turnBudgetSeconds,
    output_var: spec.outputVar,
    ...(spec.talk === undefined ? {} : talkToWire(spec.talk)),
  };
}

const talkToWire = ({
  transcript,
  branches,
  turnsLeft,
  extraction,
}: NonNullable<AgentSpec['talk']>): Wire => ({
  converse: true,
  transcript,
  branches,
  turns_left: turnsLeft,
  extraction,
});

function traceStepToWire(step: TraceStep): Wire {
  return present({
    node_id: step.nodeId,
    type: step.type,
    input: step.input && present({ ...step.input }),
    extraction: step.extraction && present({ ...step.extraction }),
    agent: step.agent && present({ ...step.agent }),
    result: step.result && present({ ...step.result }),
    missing: step.missing,
    sets: step.sets?.map((set) => present({ ...set })),
    classifier: step.classifier && present({ ...step.classifier }),
    edges: step.edges.map(({ edgeIndex, ...edge }) => ({ edge_index: edgeIndex, ...edge })),
    edges_omitted: step.edgesOmitted === 0 ? null : step.edgesOmitted,
    decided_by: step.decidedBy,
    edge_index: step.edgeIndex,
    target: step.target,
    command: step.command,
    why: step.why,
  });
}

/** Without null and undefined members. */
function present(members: Wire): Wire {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}
