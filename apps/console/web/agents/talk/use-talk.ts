// A conversation with an agent: turns of the flow that it runs, executed by the flow builder.
import { useAction } from '../../ui/action.ts';
import { useState } from 'react';
import type { CallerAnswer } from '@parley/flow-engine';
import type { components } from '@parley/sdk/flow-builder';
import { readBody, flowBuilder } from '../../api/clients.ts';
import type { Agent } from '../api.ts';

type Turn = components['schemas']['TurnResult'];
type Body = components['schemas']['ExecuteRequest'];

export interface Line {
  /** The text of the caller; null: silence, the first turn, or a result. */
  readonly said: string | null;
  readonly answered: CallerAnswer['kind'] | null;
  readonly turn: Turn;
}

/** What the caller brings to the next turn. */
export type CallerInput = { readonly said: string | null } | { readonly answer: CallerAnswer };

export function useTalk(agent: Agent) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [session, setSession] = useState('');
  const last = lines.at(-1)?.turn;
  const send = useAction(
    async ({ input, before, id }: Sent): Promise<Line> => ({
      said: 'said' in input ? input.said : null,
      answered: 'answer' in input ? input.answer.kind : null,
      turn: await execute(agent, { session_id: id, ...toTurn(input, before) }),
    }),
    {
      says: 'The agent answered',
      isShown: true,
      then: (line, { before }) => setLines((all) => (before === undefined ? [line] : [...all, line])),
    },
  );
  return {
    lines,
    last,
    isBusy: send.isPending,
    error: send.error,
    /** The caller’s words that have no answer yet. */
    pending:
      send.isPending && send.variables.input && 'said' in send.variables.input
        ? send.variables.input.said
        : null,
    start: () => {
      const id = `console-${Date.now().toString(36)}`;
      setSession(id);
      setLines([]);
      send.mutate({ input: { said: null }, before: undefined, id });
    },
    bring: (input: CallerInput) => send.mutate({ input, before: last, id: session }),
  };
}

interface Sent {
  readonly input: CallerInput;
  readonly before: Turn | undefined;
  readonly id: string;
}

/** Without the agent's id: the turn is no conversation of the agent and no figure counts it. */
const execute = ({ flow_id, flow_version }: Agent, body: Body): Promise<Turn> =>
  readBody(
    flowBuilder.POST('/v1/flows/{flow_id}/execute', {
      params: { path: { flow_id: flow_id ?? '' } },
      body: { ...body, ...(flow_version === null ? {} : { version: flow_version }) },
    }),
  );

function toTurn(input: CallerInput, before: Turn | undefined): Body {
  const where = before === undefined ? {} : { current_node: before.next_node, variables: before.variables };
  if ('said' in input) return { ...where, user_input: input.said };
  const { answer } = input;
  if (answer.kind === 'handoff_result')
    return { ...where, handoff_result: { status: answer.status, reason: answer.reason } };
  const call_id = findCallId(before) ?? '';
  const { outcome } = answer;
  return {
    ...where,
    tool_result:
      outcome.status === 'ok'
        ? { call_id, result: outcome.result }
        : { call_id, error: { code: 'code' in outcome ? outcome.code : 'failed', message: '' } },
  };
}

/** The call that the flow waits for is the last one of the turn. */
function findCallId(turn: Turn | undefined): string | null {
  const call = turn?.actions.findLast((action) => typeof action['call_id'] === 'string');
  return (call?.['call_id'] as string | undefined) ?? null;
}

/** What the flow waits for instead of words of the caller. */
export function findAwaited({ status, next_node }: Turn): CallerAnswer['kind'] | null {
  if (status === 'waiting_for_tool') return 'tool_result';
  return status === 'handed_off' && next_node !== null ? 'handoff_result' : null;
}
