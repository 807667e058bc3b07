// Retell: conversation flows, and agents of states.
import { jsonPointer } from '@parley/envelopes';
import { agentsOf, toolOf, type Agent, type AgentTool } from '../agents.ts';
import type { Draft } from '../draft.ts';
import { ConversationFlow } from './retell-flow.ts';
import { allMembers, at, firstText, isMembers, textOf, type Members } from '../source.ts';
import { template } from '../words.ts';

/** An export of the dashboard wraps the flow in its agent. */
function flowOf(source: Members): { readonly flow: Members; readonly base: readonly string[] } {
  for (const member of ['conversationFlow', 'conversation_flow', 'retellLlmData', 'retell_llm_data'])
    if (isMembers(source[member])) return { flow: source[member], base: [member] };
  return { flow: source, base: [] };
}

export function isRetell(source: Members): boolean {
  const { flow } = flowOf(source);
  return (
    (Array.isArray(flow['nodes']) && typeof flow['start_node_id'] === 'string') ||
    (typeof flow['general_prompt'] === 'string' &&
      (Array.isArray(flow['states']) || Array.isArray(flow['general_tools']) || 'llm_id' in flow))
  );
}

export function readRetell(source: Members, draft: Draft): void {
  const { flow, base } = flowOf(source);
  draft.name = firstText(source['agent_name'], source['name'], flow['name']) || null;
  if (Array.isArray(flow['nodes'])) new ConversationFlow(flow, base, draft).read();
  else readStates(flow, base, draft);
}

function readStates(flow: Members, base: readonly string[], draft: Draft): void {
  const persona = template(textOf(flow['general_prompt']));
  const general = toolsFrom(flow['general_tools']);
  const states = allMembers(flow['states']);
  const names = states.map(({ name }) => textOf(name));
  const agents: Agent[] =
    states.length === 0
      ? [
          {
            pointer: jsonPointer([...base, 'general_prompt']),
            name: 'agent',
            type: 'agent',
            exits: [],
            says: template(textOf(flow['begin_message'])),
            instruction: persona,
            tools: [],
          },
        ]
      : states.map((state, index): Agent => {
          const isFirst = firstText(flow['starting_state'], names[0]) === names[index];
          return {
            pointer: jsonPointer([...base, 'states', index]),
            name: names[index]!,
            type: 'state',
            says: isFirst ? template(textOf(flow['begin_message'])) : '',
            instruction: template(textOf(state['state_prompt'])),
            tools: toolsFrom(state['tools']),
            exits: allMembers(state['edges']).map(({ destination_state_name: to, description }) => ({
              to: textOf(to),
              nl: textOf(description),
            })),
          };
        });
  agentsOf(draft, {
    agents,
    persona: states.length === 0 ? '' : persona,
    shared: general,
    start: firstText(flow['starting_state'], names[0]),
  });
}

const toolsFrom = (tools: unknown): AgentTool[] =>
  allMembers(tools).map((tool) => {
    const type = textOf(tool['type']);
    const target = firstText(
      at(tool, 'transfer_destination', 'number'),
      at(tool, 'transfer_destination', 'prompt'),
      tool['number'],
    );
    return toolOf({ type, target, ...functionOf(tool) });
  });

const functionOf = (tool: Members) => ({
  name: textOf(tool['name']),
  description: textOf(tool['description']),
  parameters: tool['parameters'],
  url: textOf(tool['url']),
});
