// The tool call of a turn as the function call of a model (docs/openai.md#tools).
import type { Parley } from './play-chat.ts';

interface FunctionCall {
  /** The `call_id` of the action. */
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** The function that stands for an agent that talks and runs at the client. */
const RUN_AGENT = 'run_agent';

/**
 * The call that the flow waits for; a tool that still runs is not called again. Other tool calls
 * are in `actions`.
 */
export function toFunctionCalls({ status, actions }: Parley): FunctionCall[] {
  if (status !== 'waiting_for_tool') return [];
  return actions
    .filter((action) => action['call_id'] !== undefined)
    .slice(-1)
    .map((action) => toFunctionCall(action));
}

/** The run spec of an agent is the argument of its call. */
function toFunctionCall({ type, node_id, call_id, tool, args, ...spec }: Parley['actions'][number]) {
  return {
    id: String(call_id),
    name: type === 'tool' ? String(tool) : RUN_AGENT,
    arguments: JSON.stringify(type === 'tool' ? (args ?? {}) : { node_id, ...spec }),
  };
}
