// Imports Retell conversation flows and agents of states.
import { jsonPointer } from '@parley/envelopes';
import { addAgents, type Agent } from '../agents.ts';
import type { Draft } from '../draft.ts';
import { ConversationFlow } from './retell-flow.ts';
import { listTools } from './retell-tools.ts';
import { toMembersList, findText, isMembers, toText, type Members } from '../source.ts';
import { toTemplate } from '../words.ts';

/** A dashboard export wraps the flow in its agent. */
function getFlow(source: Members): { readonly flow: Members; readonly base: readonly string[] } {
  for (const member of ['conversationFlow', 'conversation_flow', 'retellLlmData', 'retell_llm_data'])
    if (isMembers(source[member])) return { flow: source[member], base: [member] };
  return { flow: source, base: [] };
}

const nodeTypes: ReadonlySet<unknown> = new Set(
  `conversation subagent end branch logic_split function transfer_call bridge_transfer cancel_transfer press_digit sms
   code mcp agent_swap component extract_dynamic_variables note`.split(/\s+/u),
);

export function isRetell(source: Members): boolean {
  const { flow } = getFlow(source);
  return (
    (typeof flow['start_node_id'] === 'string' &&
      toMembersList(flow['nodes']).some(({ type }) => nodeTypes.has(type))) ||
    (typeof flow['general_prompt'] === 'string' &&
      (Array.isArray(flow['states']) || Array.isArray(flow['general_tools']) || 'llm_id' in flow))
  );
}

export function readRetell(source: Members, draft: Draft): void {
  const { flow, base } = getFlow(source);
  draft.name = findText(source['agent_name'], source['name'], flow['name']) || null;
  // A list has the language that is spoken first.
  draft.speak([source['language']].flat()[0]);
  if (Array.isArray(flow['nodes'])) new ConversationFlow(flow, base, draft).read();
  else readStates(flow, base, draft);
}

function readStates(flow: Members, base: readonly string[], draft: Draft): void {
  const persona = toTemplate(toText(flow['general_prompt']));
  const general = listTools(flow['general_tools']);
  const states = toMembersList(flow['states']);
  const names = states.map(({ name }) => toText(name));
  const agents: Agent[] =
    states.length === 0
      ? [
          {
            pointer: jsonPointer([...base, 'general_prompt']),
            name: 'agent',
            type: 'agent',
            exits: [],
            says: toTemplate(toText(flow['begin_message'])),
            instruction: persona,
            tools: [],
          },
        ]
      : states.map((state, index): Agent => {
          const isFirst = findText(flow['starting_state'], names[0]) === names[index];
          return {
            pointer: jsonPointer([...base, 'states', index]),
            name: names[index]!,
            type: 'state',
            says: isFirst ? toTemplate(toText(flow['begin_message'])) : '',
            instruction: toTemplate(toText(state['state_prompt'])),
            tools: listTools(state['tools']),
            exits: toMembersList(state['edges']).map(({ destination_state_name: to, description }) => ({
              to: toText(to),
              nl: toText(description),
            })),
          };
        });
  addAgents(draft, {
    agents,
    persona: states.length === 0 ? '' : persona,
    shared: general,
    start: findText(flow['starting_state'], names[0]),
  });
}
