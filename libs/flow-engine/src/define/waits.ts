// Nodes that wait (docs/flow-language.md#waits): a turn ends there, and the next one continues with
// what the caller brings. Validation treats questions, tools with a result, handoffs that return
// and agents that talk alike, through this module.
import type { AuthoredNode } from './definition.ts';
import type { NodeType } from './node-types.ts';

/**
 * What the next turn must bring to a waiting node; `talk` = the caller's words, or those of an
 * agent that runs out of band.
 */
export type WaitsFor = 'user_input' | 'tool_result' | 'handoff_result' | 'talk';

/** The members that make a node wait when they are `true`, and the type that reads each. */
export const waitMembers = {
  wait_for_result: { type: 'tool', readWaitsFor: 'tool_result' },
  returns: { type: 'handoff', readWaitsFor: 'handoff_result' },
  converse: { type: 'autonomous', readWaitsFor: 'talk' },
} as const satisfies Record<string, { readonly type: NodeType; readonly readWaitsFor: WaitsFor }>;

const members = Object.entries(waitMembers);

/** Null = the walk passes the node, or ends there. */
export function waitsFor(type: NodeType | null, raw: AuthoredNode): WaitsFor | null {
  if (type === 'collect') return 'user_input';
  const waiting = members.find(([member, wait]) => wait.type === type && raw[member] === true);
  return waiting === undefined ? null : waiting[1].readWaitsFor;
}

export type HandoffStatus = 'failed' | 'returned';

/** An answer of the calling program instead of an utterance. */
export type CallerAnswer =
  | {
      readonly kind: 'tool_result';
      /** The call that it answers; null = the open one. */
      readonly callId: string | null;
      readonly outcome:
        | { readonly status: 'ok'; readonly result: unknown }
        /** Not finished: the node goes on waiting for the same call. */
        | { readonly status: 'pending' }
        | {
            readonly status: 'error';
            readonly code: string;
            readonly message: string;
            /** Set by the walk: the member that the result lacks. */
            readonly missing?: string;
          };
    }
  | {
      readonly kind: 'handoff_result';
      readonly status: HandoffStatus;
      readonly reason: string | null;
    };

/** The tool is still running: the node goes on waiting. */
export const isPending = (answer: CallerAnswer): boolean =>
  answer.kind === 'tool_result' && answer.outcome.status === 'pending';

/** The same on the wire: one member of a turn for each kind. */
export interface WireAnswers {
  readonly tool_result?:
    | {
        readonly call_id?: string | undefined;
        readonly result?: unknown;
        readonly pending?: true | undefined;
        readonly error?: { readonly code: string; readonly message: string } | undefined;
      }
    | null
    | undefined;
  readonly handoff_result?:
    { readonly status: HandoffStatus; readonly reason?: string | null | undefined } | null | undefined;
}

/** Null = only an utterance, or silence. */
export function readCallerAnswer({ tool_result, handoff_result }: WireAnswers): CallerAnswer | null {
  if (handoff_result != null)
    return { kind: 'handoff_result', status: handoff_result.status, reason: handoff_result.reason ?? null };
  if (tool_result == null) return null;
  const { call_id, result, error, pending } = tool_result;
  if (pending) return { kind: 'tool_result', callId: call_id ?? null, outcome: { status: 'pending' } };
  return {
    kind: 'tool_result',
    callId: call_id ?? null,
    outcome: error === undefined ? { status: 'ok', result } : { status: 'error', ...error },
  };
}
