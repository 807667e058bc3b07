// Types for OpenAI's official client on a flow (docs/openai.md#typescript).
import type { components } from './generated/flow-builder.ts';

/** The turn, as in the response of `execute`. */
export type ParleyTurn = components['schemas']['ParleyTurn'];

/** An answer of the client, such as `ChatCompletion` or `Response`, with the turn of the flow. */
export type ParleyAnswer<Answer> = Answer & { readonly parley: ParleyTurn };
