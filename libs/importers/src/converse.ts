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
  if (says !== '') hears(id, says, drawn);
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

/** Last words that a model finds, and the end. Returns the ids, the entry first. */
export function farewell(draft: Draft, id: string, instruction: string, drawn: object): string[] {
  const ending = draft.id(`${id}.end`);
  draft.add({ id, type: 'autonomous', goal: instruction, ...drawn });
  draft.add({ id: ending, type: 'end', message: agentAnswer });
  draft.join(id, ending);
  return [id, ending];
}
