// Nodes that wait (docs/flow-language.md#waits): a turn ends there, and the next one goes on there with what the caller brings. Every
// proof of validation asks here, so that a question, a tool that is waited for and a handoff that returns are one idea.
import type { AuthoredNode } from './definition.ts';
import type { NodeType } from './node-types.ts';

/** What the turn that goes on at a node brings to it. */
export type WaitsFor = 'user_input' | 'tool_result' | 'handoff_result';

/** The members that make a node wait when they are `true`, and the type that each has a meaning on. */
export const waitMembers = {
  wait_for_result: { type: 'tool', waitsFor: 'tool_result' },
  returns: { type: 'handoff', waitsFor: 'handoff_result' },
} as const satisfies Record<string, { readonly type: NodeType; readonly waitsFor: WaitsFor }>;

const members = Object.entries(waitMembers);

/** null = the walk passes the node, or ends there. */
export function waitsFor(type: NodeType | null, raw: AuthoredNode): WaitsFor | null {
  if (type === 'collect') return 'user_input';
  const waiting = members.find(([member, wait]) => wait.type === type && raw[member] === true);
  return waiting === undefined ? null : waiting[1].waitsFor;
}

export type HandoffStatus = 'failed' | 'returned';

/** What a caller brings that nobody said. */
export type CallerAnswer =
  | {
      readonly kind: 'tool_result';
      /** Of the call that is answered; null = of whichever is waited for. */
      readonly callId: string | null;
      readonly outcome:
        | { readonly status: 'ok'; readonly result: unknown }
        | { readonly status: 'error'; readonly code: string; readonly message: string };
    }
  | {
      readonly kind: 'handoff_result';
      readonly status: HandoffStatus;
      readonly reason: string | null;
    };

/** The same on the wire, in a member of a turn for each kind. */
export interface Brought {
  readonly tool_result?:
    | {
        readonly call_id?: string | undefined;
        readonly result?: unknown;
        readonly error?: { readonly code: string; readonly message: string } | undefined;
      }
    | null
    | undefined;
  readonly handoff_result?:
    { readonly status: HandoffStatus; readonly reason?: string | null | undefined } | null | undefined;
}

/** null = nothing but an utterance, or silence. */
export function callerAnswer({ tool_result, handoff_result }: Brought): CallerAnswer | null {
  if (handoff_result != null)
    return { kind: 'handoff_result', status: handoff_result.status, reason: handoff_result.reason ?? null };
  if (tool_result == null) return null;
  const { call_id, result, error } = tool_result;
  return {
    kind: 'tool_result',
    callId: call_id ?? null,
    outcome: error === undefined ? { status: 'ok', result } : { status: 'error', ...error },
  };
}
