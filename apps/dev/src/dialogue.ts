// A turn as lines that a person can read. Pure.
import type { HandoffResult, Line, ToolResult } from './example-files.ts';

/** The members of an execute answer that a dialogue shows. */
export interface Turn {
  readonly version: number;
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly actions: readonly Action[];
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface Action {
  readonly type: string;
  readonly tool?: string;
  readonly args?: unknown;
  /** Of a tool that is waited for. */
  readonly call_id?: string;
  readonly target?: string;
  readonly reason?: string;
  readonly goal?: string;
  /** Of an agent that ran in process. */
  readonly status?: string;
  /** Of a run spec. */
  readonly tools?: readonly { readonly name: string }[];
}

const INDENT = '    ';
const WHO_CHARACTERS = 8;

/** What the caller says, and what its systems have brought in the meantime. */
export function callerLines(line: Line, opens: boolean): string[] {
  const { user_input = null, tool_result, handoff_result, variables = {} } = line;
  const brought = [
    ...Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    ...(tool_result === undefined ? [] : [describeToolResult(tool_result)]),
    ...(handoff_result === undefined ? [] : [describeHandoffResult(handoff_result)]),
  ].map((text) => said('', `← ${text}`));
  const speaks = user_input !== null || !(opens || tool_result || handoff_result);
  return speaks ? [...brought, said('caller', user_input || '(silence)')] : brought;
}

/**
 * What the flow answers: its texts, then the actions that the caller has to take, then how it
 * ended.
 */
export function answerLines({ outputs, actions, status }: Turn): string[] {
  return [
    ...outputs.map(({ text }) => said('bot', text)),
    ...actions.map((action) => said('', `→ ${describeAction(action)}`)),
    ...(status === 'waiting' ? [] : [said('', `(${status.replaceAll('_', ' ')})`)]),
  ];
}

function said(who: string, text: string): string {
  return `${INDENT}${who.padEnd(WHO_CHARACTERS)}${text}`;
}

const describeToolResult = (brought: ToolResult): string =>
  'error' in brought
    ? `error ${brought.error.code}: ${brought.error.message}`
    : `result ${JSON.stringify(brought.result)}`;

const describeHandoffResult = ({ status, reason }: HandoffResult): string =>
  `handoff ${status}${reason === undefined ? '' : `: ${reason}`}`;

function describeAction(action: Action): string {
  switch (action.type) {
    case 'tool':
      return `tool ${action.tool ?? ''} ${JSON.stringify(action.args ?? {})}`;
    case 'handoff':
      return `handed to ${action.target ?? 'a person'}${action.reason === undefined ? '' : `: ${action.reason}`}`;
    case 'autonomous': {
      const tools = (action.tools ?? []).map(({ name }) => name).join(', ');
      const how = action.status ?? `to be run with ${tools === '' ? 'no tools' : tools}`;
      return `agent "${action.goal ?? ''}", ${how}`;
    }
    default:
      return action.type;
  }
}
