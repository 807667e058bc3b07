// Nodes of others in which a model talks to the caller until a condition holds. Here a question waits for the answer, its edges judge it,
// and what none of them understands goes to an agent, whose answer is the next question.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import type { Draft, EdgeCondition } from './draft.ts';

export interface Talk {
  /** The id of its first node. */
  readonly id: string;
  /** Words that are said as they stand; '' = the agent has the first word. */
  readonly says: string;
  /** What the agent is told; '' = nobody but `says` talks. */
  readonly instruction: string;
  readonly extraction?: readonly Extracted[];
  readonly agent?: Partial<AuthoredNode>;
  /** Where it is drawn. */
  readonly drawn?: object;
}

/** What a model takes from an answer. */
export interface Extracted {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
}

export interface Exit {
  readonly condition: EdgeCondition;
  readonly target: string;
}

/** What the agent said last. */
export const agentAnswer = '{{ agent_result.answer }}';

/**
 * Adds the nodes and edges of a talk, and returns their ids. Exits are tried in their order.
 * @param then where every answer leads that no exit takes; null = the talk goes on
 */
export function converse(draft: Draft, talk: Talk, exits: readonly Exit[], then: string | null): string[] {
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
        ...extractionOf(talk.extraction ?? []),
        ...place,
      }),
    );
  };
  let again = id;
  if (says !== '' || instruction === '') hears(id, says, drawn);
  if (instruction !== '') {
    again = says === '' ? id : draft.id(`${id}.agent`);
    const place = says === '' ? drawn : {};
    ids.push(draft.add({ id: again, type: 'autonomous', goal: instruction, ...talk.agent, ...place }));
    const reply = draft.id(`${id}.reply`);
    hears(reply, agentAnswer, {});
    draft.join(again, reply);
  }
  for (const question of listens) {
    for (const exit of exits) draft.join(question, exit.target, exit.condition);
    draft.join(question, then ?? again);
  }
  return ids;
}

const types: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

export function extractionOf(extracted: readonly Extracted[]): Partial<AuthoredNode> {
  if (extracted.length === 0) return {};
  const variables = extracted
    .slice(0, limits.conditionsMax)
    .map(({ name, type, ...rest }) => ({ name, type: types.has(type) ? type : 'string', ...rest }));
  return { extraction: { variables } };
}

/** What is said without listening: words as they stand, or words that an agent finds. The last node is of `type`, and is joined by the caller. */
export function speak(
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
  draft.add({ id: last, type, [member]: agentAnswer, ...members });
  draft.join(id, last);
  return [id, last];
}

/** A node that says nothing, and leads on. */
export function passOn(
  draft: Draft,
  id: string,
  exits: readonly Exit[],
  then: string | null,
  drawn?: object,
): string {
  draft.add({ id, type: 'branch', ...drawn });
  leave(draft, id, exits, then);
  return id;
}

/** The edges out of a node, in their order. @param then null = it is the end */
export function leave(draft: Draft, id: string, exits: readonly Exit[], then: string | null): void {
  for (const { condition, target } of exits) draft.join(id, target, condition);
  draft.join(id, then ?? draft.end());
}

/** Talks that are entered from wherever the conversation is. */
export function enterFromAnywhere(draft: Draft, entries: readonly Exit[]): void {
  if (entries.length === 0) return;
  const id = draft.add({ id: draft.id('anywhere'), type: 'trigger', on: 'any_turn' });
  for (const { condition, target } of entries) draft.join(id, target, condition);
}
