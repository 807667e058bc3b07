// A conversation with a flow. The flow builder keeps no session: this class carries the node, the
// variables and the results of tools from turn to turn (docs/flow-language.md).
import { ParleyError } from './errors.ts';
import type { FlowBuilder } from './parley.ts';
import type { Action, CallOptions, ConversationOptions, ConversationState, Turn } from './options.ts';
import { createRandomKey } from './send.ts';

export class Conversation {
  readonly flowId: string;
  readonly #flows: FlowBuilder;
  readonly #options: ConversationOptions;
  #state: ConversationState;
  #last: Promise<unknown> = Promise.resolve();

  constructor(flows: FlowBuilder, flowId: string, options: ConversationOptions) {
    this.flowId = flowId;
    this.#flows = flows;
    this.#options = options;
    const { sessionId = createRandomKey(), version, variables = {}, state } = options;
    this.#state = state ?? {
      session_id: sessionId,
      ...(version === undefined ? {} : { version }),
      node: null,
      variables,
      status: 'new',
    };
  }

  /** The whole state as JSON, to store between two requests of yours. */
  get state(): ConversationState {
    return this.#state;
  }

  /** Whether the conversation has ended. */
  get ended(): boolean {
    return this.#state.status !== 'new' && this.#state.node === null;
  }

  /**
   * Sends one turn; without a text, the opening turn or silence. Turns run in sequence. A failed
   * turn changes nothing: send it again.
   */
  say(text?: string | null, options: CallOptions = {}): Promise<Turn> {
    const turn = this.#last.then(() => this.#say(text ?? null, options));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Stores the result of an action in its node's variable, for the next turn. */
  answer(action: Action, result: unknown): void {
    const name = action['output_var'];
    if (typeof name !== 'string')
      throw new ParleyError(`${action.node_id} names no variable for its result.`);
    this.#state = { ...this.#state, variables: { ...this.#state.variables, [name]: result } };
  }

  async #say(userInput: string | null, options: CallOptions): Promise<Turn> {
    if (this.ended) throw new ParleyError(`The conversation is over: ${this.#state.status}.`);
    const { session_id, version, node, variables } = this.#state;
    const { botId, tools = {} } = this.#options;
    const body = {
      session_id,
      current_node: node,
      user_input: userInput,
      variables,
      ...(version === undefined ? {} : { version }),
      ...(botId === undefined ? {} : { bot_id: botId }),
    };
    const turn = await this.#flows.executeTurn({ flow_id: this.flowId, body }, options);
    const known = { ...turn.variables };
    for (const action of turn.actions) {
      const name = action['tool'];
      const tool = typeof name === 'string' && Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (!tool) continue;
      const result = await tool(action['args'] as never, action);
      if (typeof action['output_var'] === 'string') known[action['output_var']] = result;
    }
    // Only now, so that a turn with a failed tool can be repeated.
    this.#state = {
      session_id,
      version: turn.version,
      node: turn.next_node,
      variables: known,
      status: turn.status,
    };
    return turn;
  }
}
