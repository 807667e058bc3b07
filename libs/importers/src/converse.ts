// Imports nodes in which a model talks until a condition holds, as agents that talk. A fixed
// opening is a question: what no edge of it understands goes to the agent.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import type { Draft, EdgeCondition } from './draft.ts';

export interface Talk {
  /** The id of the first node. */
  readonly id: string;
  /** A fixed opening; '' when the agent speaks first. */
  readonly says: string;
  /** The agent's instructions; '' without an agent. */
  readonly instruction: string;
  readonly extraction?: readonly Extraction[];
  readonly agent?: Partial<AuthoredNode>;
  /** Its position on the canvas. */
  readonly drawn?: object;
}

/** A value that a model extracts from an answer. */
export interface Extraction {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  /** The values that it may have. */
  readonly choices?: readonly string[];
}

export interface Exit {
  readonly condition: EdgeCondition;
  readonly target: string;
}

/**
 * Adds the nodes and edges of a talk and returns the ids. Exits are tried in order.
 * @param then the target when no exit matches; null continues the talk
 */
export function addTalk(draft: Draft, talk: Talk, exits: readonly Exit[], then: string | null): string[] {
  const { id, says, instruction, drawn } = talk;
  const listens: string[] = [];
  const ids: string[] = [];
  const hears = (question: string, prompt: string, place: object | undefined) => {
    listens.push(question);
    ids.push(
      draft.add({
        id: question,
        type: 'collect',
        prompt,
        variable: 'answer',
        ...toExtraction(talk.extraction ?? []),
        ...place,
      }),
    );
  };
  let again = id;
  if (says !== '' || instruction === '') hears(id, says, drawn);
  if (instruction !== '') {
    again = says === '' ? id : draft.id(`${id}.agent`);
    const place = says === '' ? drawn : {};
    // A source that goes on after one answer talks for one turn.
    const bound = then === null ? {} : { max_turns: 1 };
    const node = { id: again, type: 'autonomous', converse: true, goal: instruction, ...bound };
    ids.push(draft.add({ ...node, ...toExtraction(talk.extraction ?? []), ...talk.agent, ...place }));
    listens.push(again);
  }
  for (const question of listens) {
    for (const exit of exits) draft.join(question, exit.target, exit.condition);
    draft.join(question, then ?? again);
  }
  return ids;
}

const types: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

export function toExtraction(extracted: readonly Extraction[]): Partial<AuthoredNode> {
  if (extracted.length === 0) return {};
  const variables = extracted
    .slice(0, limits.conditionsMax)
    .map(({ name, type, description = '', choices = [] }) => ({
      name,
      type: choices.length > 0 ? 'enum' : types.has(type) ? type : 'string',
      ...(description === '' ? {} : { prompt: description }),
      ...(choices.length === 0 ? {} : { choices }),
    }));
  return { extraction: { variables } };
}

/**
 * Adds messages, fixed or from an agent, that expect no answer. The caller connects the last node,
 * which has no text behind an agent: the agent has spoken.
 */
export function addSpeech(
  draft: Draft,
  { id, says, instruction, drawn }: Omit<Talk, 'extraction' | 'agent'>,
  type: 'message' | 'end' | 'handoff',
  members: Partial<AuthoredNode> = {},
): string[] {
  const member = type === 'message' ? 'text' : 'message';
  if (instruction === '')
    return [draft.add({ id, type, ...(says === '' ? {} : { [member]: says }), ...members, ...drawn })];
  const last = draft.id(`${id}.${type}`);
  draft.add({ id, type: 'autonomous', goal: instruction, ...drawn });
  draft.add({ id: last, type: type === 'message' ? 'branch' : type, ...members });
  draft.join(id, last);
  return [id, last];
}

/** Adds a node that only leads on. */
export function addPassage(
  draft: Draft,
  id: string,
  exits: readonly Exit[],
  then: string | null,
  drawn?: object,
): string {
  draft.add({ id, type: 'branch', ...drawn });
  addExits(draft, id, exits, then);
  return id;
}

/** Adds the edges of a node in order. @param then null ends the flow */
export function addExits(draft: Draft, id: string, exits: readonly Exit[], then: string | null): void {
  for (const { condition, target } of exits) draft.join(id, target, condition);
  draft.join(id, then ?? draft.end());
}

/** Makes talks that can start from any node. */
export function enterFromAnywhere(draft: Draft, entries: readonly Exit[]): void {
  if (entries.length === 0) return;
  const id = draft.add({ id: draft.id('anywhere'), type: 'trigger', on: 'any_turn' });
  for (const { condition, target } of entries) draft.join(id, target, condition);
  // Commands are not tried while an agent talks.
  for (const node of draft.nodes.filter(({ converse }) => converse === true))
    for (const { condition, target } of entries)
      if (target !== node.id) draft.join(node.id, target, condition);
}
