// The conversation with the draft. Only the script is kept; what came of it is played anew whenever it or the flow changes.
import { create } from 'zustand';
import type { CallerAnswer } from '@parley/flow-engine';
import type { PlayedTurn, Script, ScriptedAnswer, ScriptedTurn } from '../../engine/converse.ts';

export interface Talk {
  readonly script: Script;
  /** Empty until the first is played; null: the flow is none that can be walked. */
  readonly played: readonly PlayedTurn[] | null;
  /** The turn that is shown on the canvas; null = the last one. */
  readonly chosen: number | null;
  /** The stored test that it was opened from. */
  readonly name: string | null;
}

const TURNS_MAX = 100;

const fresh = (nowMs: number): Script => ({
  startNode: null,
  variables: {},
  nowMs,
  extractor: false,
  agent: false,
  turns: [],
});

export const useTalk = create<Talk>()(() => ({ script: fresh(0), played: [], chosen: null, name: null }));

const { getState, setState } = useTalk;

function write(script: Partial<Script>, chosen: number | null = null): void {
  setState(({ script: before }) => ({ script: { ...before, ...script }, chosen }));
}

const opening: ScriptedTurn = { input: null, answers: [] };

/** Forgets what was said; the settings stay. */
export function begin(startNode: string | null = getState().script.startNode): void {
  setState({ played: [] });
  write({ startNode, nowMs: Date.now(), turns: [opening] });
}

/** Plays a conversation that was written elsewhere. */
export const open = (script: Script, name: string | null = null): void =>
  setState({ script, chosen: null, name });

export const forget = (): void => setState({ script: fresh(0), played: [], chosen: null, name: null });

function append(turn: ScriptedTurn): void {
  const { turns } = getState().script;
  if (turns.length < TURNS_MAX) write({ turns: [...turns, turn] });
}

export const say = (input: string | null): void => append({ input, answers: [] });

/** What a tool or a handoff came to, in a turn of its own. */
export const bring = (brought: CallerAnswer): void => append({ input: null, brought, answers: [] });

/** Says something else in a turn; what was said after it is said again. */
export function sayInstead(turn: number, input: string | null): void {
  write({ turns: getState().script.turns.with(turn, { input, answers: [] }) }, turn);
}

export function bringInstead(turn: number, brought: CallerAnswer): void {
  write({ turns: getState().script.turns.with(turn, { input: null, brought, answers: [] }) }, turn);
}

export const rewind = (turn: number): void => write({ turns: getState().script.turns.slice(0, turn + 1) });

/** Answers the question of a turn with this number; what was asked after it in the turn is asked again. */
export function answer(turn: number, question: number, given: ScriptedAnswer): void {
  const { turns } = getState().script;
  const { otherwise, ...said } = turns[turn]!;
  // In the turn of a stored test the answers before this one are those that it names.
  const before = (getState().played?.[turn]?.asked ?? []).slice(0, question).map(({ answer: one }) => one);
  const answers = [...(otherwise === undefined ? said.answers.slice(0, question) : before), given];
  write({ turns: turns.with(turn, { ...said, answers }) }, turn);
}

export const set = (settings: Partial<Pick<Script, 'variables' | 'nowMs' | 'extractor' | 'agent'>>): void =>
  write(settings, getState().chosen);

export const choose = (chosen: number | null): void => setState({ chosen });
export const played = (turns: readonly PlayedTurn[] | null): void => setState({ played: turns });

/** The turn on show. */
export const chosenOf = ({ played: turns, chosen }: Pick<Talk, 'played' | 'chosen'>): PlayedTurn | null =>
  turns?.[chosen ?? turns.length - 1] ?? null;
