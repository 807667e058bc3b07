// What each node type does when the walk arrives at it.
import { agentSpec } from './agent.ts';
import { openCall, setTalkTurns } from './bookkeeping.ts';
import { skipQuestion } from './collect.ts';
import { arriveAgain, arriveAtQuestion } from './commands.ts';
import type { AutonomousNode, CompiledNode } from '../compile/compiled.ts';
import type { Action, AgentSpec, TurnStatus } from './turn.ts';
import { say, type Walk } from './walk-state.ts';

/**
 * Null = continue by the edges; a status = the turn ends here; a spec = an agent has to run first.
 */
export type Visit = null | Exclude<TurnStatus, 'no_route'> | AgentSpec;

export function visit(walk: Walk, node: CompiledNode): Visit {
  switch (node.type) {
    case 'message':
      say(walk, 'message', node, node.text);
      return null;
    case 'branch':
      return null;
    case 'tool': {
      const { id: nodeId, tool, args, outputVar } = node;
      const action = { type: 'tool', nodeId, tool, args: args?.(walk) ?? null, outputVar } as const;
      if (!node.waits) {
        takeAction(walk, action);
        return null;
      }
      arriveAgain(walk, node);
      takeAction(walk, { ...action, callId: openCall(walk.variables, nodeId, walk.session) });
      return 'waiting_for_tool';
    }
    case 'autonomous': {
      if (node.talkTurnsMax !== null) setTalkTurns(walk.variables, node.id, 0);
      const spec = agentSpec(walk, node);
      return walk.turn.agentMode === 'in_process' ? spec : dispatchAgent(walk, node, spec);
    }
    case 'collect':
      // The utterance of the turn belongs to the node before: it never answers a question that is
      // not yet asked.
      arriveAtQuestion(walk, node);
      if (node.skips?.(walk) === true) {
        skipQuestion(walk);
        return null;
      }
      say(walk, 'prompt', node, node.prompt);
      return 'waiting';
    case 'handoff':
      say(walk, 'message', node, node.message);
      takeAction(walk, {
        type: 'handoff',
        nodeId: node.id,
        target: node.target,
        reason: counted(walk, node.reason?.(walk) ?? null),
      });
      return 'handed_off';
    case 'end':
      say(walk, 'message', node, node.message);
      return 'completed';
  }
}

/** Passes the run spec to the caller. The turn waits for the words of an agent that talks. */
export function dispatchAgent(walk: Walk, node: AutonomousNode, spec: AgentSpec): 'waiting_for_tool' | null {
  const action = { type: 'autonomous', mode: 'out_of_band', nodeId: node.id, spec } as const;
  if (spec.talk === undefined) {
    takeAction(walk, action);
    return null;
  }
  takeAction(walk, { ...action, callId: openCall(walk.variables, node.id, walk.session) });
  return 'waiting_for_tool';
}

/** Bytes of an action beside its content: type, node, and the names of its members. */
const actionBytes = 256;

function takeAction(walk: Walk, action: Action): void {
  walk.budget.result(actionBytes);
  if (action.type === 'tool') counted(walk, action.tool);
  if (action.type === 'handoff') counted(walk, action.target);
  walk.actions.push(action);
}

function counted(walk: Walk, text: string | null): string | null {
  if (text !== null) walk.budget.resultText(text);
  return text;
}
