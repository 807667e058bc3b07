// Imports agents that hand over to each other: each becomes a talk, each hand-over a judged edge.
import type { AuthoredNode } from '@parley/flow-engine';
import { addTalk, addPassage, type Exit, type Extraction } from './converse.ts';
import { approximated, dropped, type Draft } from './draft.ts';
import { isMembers } from './source.ts';
import { toTemplate } from './words.ts';

export interface AgentTool {
  readonly does: 'end' | 'transfer' | 'call';
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** The target of a transfer. */
  readonly target: string;
  /** The URL; '' when the caller runs it. */
  readonly url: string;
  /** Of the request to `url`; '' is POST. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Agent {
  readonly pointer: string;
  readonly name: string;
  readonly type: string;
  readonly says: string;
  readonly instruction: string;
  readonly tools: readonly AgentTool[];
  /** Targets by name, with the condition of each. */
  readonly exits: readonly { readonly to: string; readonly nl: string }[];
  readonly extraction?: readonly Extraction[];
  readonly drawn?: object;
}

export interface Agents {
  readonly agents: readonly Agent[];
  readonly persona: string;
  /** Tools that every agent has. */
  readonly shared: readonly AgentTool[];
  /** A name; '' for the first agent. */
  readonly start: string;
}

export function toAgentTool(tool: Omit<AgentTool, 'does'> & { readonly type: string }): AgentTool {
  const { type, ...rest } = tool;
  const kind = `${type} ${tool.name}`.toLowerCase().replace(/[^a-z]+/gu, '');
  if (/endcall|hangup/u.test(kind)) return { does: 'end', ...rest };
  return { does: /transfer|agentswap/u.test(kind) ? 'transfer' : 'call', ...rest };
}

export function addAgents(draft: Draft, { agents, persona, shared, start }: Agents): void {
  if (persona !== '') draft.add({ id: draft.id('persona'), type: 'global', prompt: persona });
  const ids = new Map<string, string>();
  const own = agents.map(({ name }) => {
    const id = draft.id(name);
    if (!ids.has(name)) ids.set(name, id);
    return id;
  });
  draft.start = ids.get(start) ?? own[0] ?? null;
  const sharedExits = listToolExits(draft, shared);
  agents.forEach((agent, index) => {
    const { pointer, name, type, says, instruction, extraction, drawn } = agent;
    const exits: Exit[] = agent.exits.flatMap(({ to, nl }) => {
      const target = ids.get(to);
      return target === undefined ? [] : [{ condition: { nl: nl || `It is about: ${to}` }, target }];
    });
    const talk = {
      id: own[index]!,
      says,
      instruction,
      agent: toBindings([...agent.tools, ...shared]),
      ...(extraction === undefined ? {} : { extraction }),
      ...(drawn === undefined ? {} : { drawn }),
    };
    if (says === '' && instruction === '') {
      const id = addPassage(draft, own[index]!, exits, null, drawn);
      draft.report({ pointer, name, type }, dropped('its text is stored elsewhere', id));
      return;
    }
    const all = [...exits, ...listToolExits(draft, agent.tools), ...sharedExits];
    const made = addTalk(draft, talk, all, null);
    draft.report(
      { pointer, name, type },
      approximated('a model talks until it hands over; Parley judges each answer', ...made),
    );
  });
}

/** The nodes of tools that leave an agent, and the edges to them. */
export function listToolExits(draft: Draft, tools: readonly AgentTool[]): Exit[] {
  return tools.flatMap(({ does, name, description, target }): Exit[] => {
    if (does === 'call') return [];
    const node: AuthoredNode =
      does === 'end'
        ? { id: draft.id(name || 'end_call'), type: 'end' }
        : { id: draft.id(name || 'transfer'), type: 'handoff', target: toTemplate(target || name) };
    const nl = description || (does === 'end' ? 'The conversation is over.' : 'They want to be transferred.');
    return [{ condition: { nl }, target: draft.add(node) }];
  });
}

/** The members of an autonomous node. */
export function toBindings(tools: readonly AgentTool[]): Partial<AuthoredNode> {
  const calls = tools.filter(({ does, name }) => does === 'call' && name !== '');
  if (calls.length === 0) return {};
  const reached = calls.filter(({ url }) => url.startsWith('https://'));
  return {
    tools: calls.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, ...(isMembers(parameters) ? { parameters } : {}) },
    })),
    ...(reached.length === 0
      ? {}
      : { tool_dispatch: Object.fromEntries(reached.map((tool) => [tool.name, toDispatch(tool)])) }),
  };
}

const toDispatch = ({ url, method = '', headers = {} }: AgentTool) => ({
  url,
  ...(method === '' ? {} : { method }),
  ...(Object.keys(headers).length === 0 ? {} : { headers }),
});
