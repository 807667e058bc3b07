// Types for OpenAI's official client on a flow (docs/openai.md#typescript).
import type { components } from './generated/flow-builder.ts';

/** The turn, as in the response of `execute`. */
export type ParleyTurn = components['schemas']['ParleyTurn'];

type FlowChoice<Choice> = Choice extends { finish_reason: infer Reason }
  ? Omit<Choice, 'finish_reason'> & { finish_reason: Reason | 'end' | 'handoff' }
  : Choice;

type FlowChoices<Answer> = Answer extends { choices: (infer Choice)[] }
  ? Omit<Answer, 'choices'> & { choices: FlowChoice<Choice>[] }
  : Answer;

/**
 * An answer of the client, such as `ChatCompletion` or `Response`, with the turn of the flow. A
 * chat completion may also finish by `end` or `handoff`.
 */
export type ParleyAnswer<Answer> = FlowChoices<Answer> & { readonly parley: ParleyTurn };
