// The conversation with the draft. The store keeps the script and replays it whenever it or the
// flow changes.
import { create } from 'zustand';
import type { CallerAnswer } from '@parley/flow-engine';
import type { PlayedTurn, Script, ScriptedAnswer, ScriptedTurn } from '../../engine/converse.ts';

export interface Talk {
  readonly script: Script;
  /** Empty before the first replay; null when the flow cannot run. */
  readonly played: readonly PlayedTurn[] | null;
  /** The turn shown on the canvas; null = the last one. */
  readonly chosen: number | null;
  /** The stored test that was opened. */
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

/** Clears the conversation and keeps the settings. */
export function begin(startNode: string | null = getState().script.startNode): void {
  setState({ played: [] });
  write({ startNode, nowMs: Date.now(), turns: [opening] });
}

/** Plays another script. */
export const open = (script: Script, name: string | null = null): void =>
  setState({ script, chosen: null, name });

export const forget = (): void => setState({ script: fresh(0), played: [], chosen: null, name: null });

function append(turn: ScriptedTurn): void {
  const { turns } = getState().script;
  if (turns.length < TURNS_MAX) write({ turns: [...turns, turn] });
}

export const say = (input: string | null): void => append({ input, answers: [] });

/** Adds a turn with the result of a tool or a handoff. */
export const bring = (brought: CallerAnswer): void => append({ input: null, brought, answers: [] });

/** Changes the input of a turn and replays the turns after it. */
export function sayInstead(turn: number, input: string | null): void {
  write({ turns: getState().script.turns.with(turn, { input, answers: [] }) }, turn);
}

export function bringInstead(turn: number, brought: CallerAnswer): void {
  write({ turns: getState().script.turns.with(turn, { input: null, brought, answers: [] }) }, turn);
}

export const rewind = (turn: number): void => write({ turns: getState().script.turns.slice(0, turn + 1) });

/** Answers a question of a turn; later questions of the turn are asked again. */
export function answer(turn: number, question: number, given: ScriptedAnswer): void {
  const { turns } = getState().script;
  const { otherwise, ...said } = turns[turn]!;
  // In the turn of a stored test, the earlier answers come from the test.
  const before = (getState().played?.[turn]?.asked ?? []).slice(0, question).map(({ answer: one }) => one);
  const answers = [...(otherwise === undefined ? said.answers.slice(0, question) : before), given];
  write({ turns: turns.with(turn, { ...said, answers }) }, turn);
}

export const set = (settings: Partial<Pick<Script, 'variables' | 'nowMs' | 'extractor' | 'agent'>>): void =>
  write(settings, getState().chosen);

export const choose = (chosen: number | null): void => setState({ chosen });
export const played = (turns: readonly PlayedTurn[] | null): void => setState({ played: turns });

/** The turn shown on the canvas. */
export const chosenOf = ({ played: turns, chosen }: Pick<Talk, 'played' | 'chosen'>): PlayedTurn | null =>
  turns?.[chosen ?? turns.length - 1] ?? null;
