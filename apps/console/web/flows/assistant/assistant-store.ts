// What the author asked the assistant, and its answer. It outlives the panel, which closes when
// another tab opens.
import { create } from 'zustand';
import type { AuthoredFlow } from '@parley/flow-engine';
import { askAssistant, type AssistantReply, type ConversationTest } from '../api.ts';
import { toDefinition, toDoc } from '../document/doc.ts';
import { change, useFlow } from '../document/flow-store.ts';

/** A conversation that failed, as a test without what should have happened. */
export interface FailedConversation {
  readonly flowId: string;
  /** The name that its stored test gets. */
  readonly name: string;
  readonly test: ConversationTest;
}

interface AssistantState {
  readonly flowId: string;
  readonly instruction: string;
  readonly failed: FailedConversation | null;
  /** What the last turn should do. */
  readonly expected: Expected;
  readonly isAsking: boolean;
  readonly error: unknown;
  readonly reply: AssistantReply | null;
  /** The draft that the reply is about. */
  readonly asked: AuthoredFlow | null;
}

export type Expected =
  | { readonly kind: 'next_node'; readonly node: string }
  | { readonly kind: 'handed_off' }
  | { readonly kind: 'message'; readonly text: string };

const empty: AssistantState = {
  flowId: '',
  instruction: '',
  failed: null,
  expected: { kind: 'handed_off' },
  isAsking: false,
  error: null,
  reply: null,
  asked: null,
};

export const useAssistant = create<AssistantState>()(() => empty);
const { getState, setState } = useAssistant;

/** Drops what was asked about another flow. */
export function openAssistant(flowId: string): void {
  if (getState().flowId !== flowId) setState({ ...empty, flowId });
}

export const fixConversation = (failed: FailedConversation): void =>
  setState({ ...empty, flowId: failed.flowId, failed, instruction: 'Fix this.' });

export const write = (part: Partial<Pick<AssistantState, 'instruction' | 'expected' | 'failed'>>): void =>
  setState(part);

/** The conversation with what its last turn should do; null without one. */
export function toTest({
  failed,
  expected,
}: Pick<AssistantState, 'failed' | 'expected'>): ConversationTest | null {
  if (failed === null) return null;
  const last = failed.test.turns.length - 1;
  const turns = failed.test.turns.map((turn, at) =>
    at === last ? { ...turn, expect: toExpect(expected) } : turn,
  );
  return { ...failed.test, turns };
}

function toExpect(expected: Expected): ConversationTest['turns'][number]['expect'] {
  if (expected.kind === 'next_node') return { next_node: expected.node };
  return expected.kind === 'handed_off' ? { status: 'handed_off' } : { messages: [expected.text] };
}

export async function ask(): Promise<void> {
  const { flowId, instruction, isAsking } = getState();
  if (isAsking || instruction.trim() === '') return;
  const { doc } = useFlow.getState();
  setState({ isAsking: true, error: null, reply: null, asked: doc.flow });
  const test = toTest(getState());
  try {
    const body = { instruction, definition: toDefinition(doc), ...(test && { test }) };
    const reply = await askAssistant(flowId, body);
    if (getState().flowId === flowId) setState({ reply, isAsking: false });
  } catch (error) {
    if (getState().flowId === flowId) setState({ error, isAsking: false });
  }
}

/** One step of undo. Changes only the draft of this browser. */
export function apply(definition: AuthoredFlow): void {
  change(() => toDoc(definition), 'Applied the proposal. Ctrl Z undoes it');
  setState({ reply: null, asked: null });
}

export const discardReply = (): void => setState({ reply: null, asked: null, error: null });
