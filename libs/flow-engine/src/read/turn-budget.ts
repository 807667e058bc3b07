// What one turn may cost, counted and never timed: the same turn of the same flow costs the same on every machine. It is the second
// half of the proof that a turn ends (the first is the count of node visits). Whoever works in a turn counts here before the work is
// done and before memory is taken; what is too much is thrown as TurnTooCostly, and walk.ts makes a refusal of it.
import { limits } from '../define/limits.ts';
import { jsonBytesOfText } from './json-bytes.ts';
import { mayDecompose, type Fold } from './readings.ts';

/** What is counted, as a refusal names it. */
export type TurnCost = 'text_characters' | 'pattern_steps' | 'rendered_characters' | 'result_bytes';

export type TurnAllowance = Readonly<Record<TurnCost, number>>;

export const turnAllowance: TurnAllowance = {
  text_characters: limits.turnTextCharsMax,
  pattern_steps: limits.turnPatternStepsMax,
  rendered_characters: limits.turnRenderedCharsMax,
  result_bytes: limits.turnResultBytesMax,
};

/** Thrown by a budget, and caught where a walk begins or goes on. */
export class TurnTooCostly extends Error {
  readonly cost: TurnCost;
  readonly max: number;

  constructor(cost: TurnCost, max: number) {
    super(`the turn takes more than ${max} ${cost.replace('_', ' ')}`);
    this.name = 'TurnTooCostly';
    this.cost = cost;
    this.max = max;
  }
}

/** Below it, folding again costs no more than remembering. */
const rememberedCharsMin = 64;
/** What composing a character (Unicode NFC) costs more than looking at it. */
const composingCharsFactor = 32;

/** Plain fields and no table: every comparison of a turn counts. */
export class TurnBudget {
  readonly #allowance: TurnAllowance;
  #text: number;
  #patterns: number;
  #rendered: number;
  #result: number;
  #folded: Map<Fold, Map<string, string>> | null = null;

  constructor(allowance: TurnAllowance = turnAllowance) {
    this.#allowance = allowance;
    this.#text = allowance.text_characters;
    this.#patterns = allowance.pattern_steps;
    this.#rendered = allowance.rendered_characters;
    this.#result = allowance.result_bytes;
  }

  /** The same budget as it is now, on its own from here on. */
  fork(): TurnBudget {
    const copy = new TurnBudget(this.#allowance);
    copy.#text = this.#text;
    copy.#patterns = this.#patterns;
    copy.#rendered = this.#rendered;
    copy.#result = this.#result;
    return copy;
  }

  /** Characters that are looked at: folded, searched, read as a number. */
  text(characters: number): void {
    if ((this.#text -= characters) < 0) this.#refuse('text_characters');
  }

  /** Characters of a text times the instructions of a pattern. */
  patterns(steps: number): void {
    if ((this.#patterns -= steps) < 0) this.#refuse('pattern_steps');
  }

  /** Characters put into templates. */
  rendered(characters: number): void {
    if ((this.#rendered -= characters) < 0) this.#refuse('rendered_characters');
  }

  get bytesLeft(): number {
    return this.#result;
  }

  /** Bytes of the result. */
  result(bytes: number): void {
    if ((this.#result -= bytes) < 0) this.#refuse('result_bytes');
  }

  /**
   * A value of the result, as JSON. Counted member by member and never written: the same value may stand in it a thousand times. The
   * stack is an array, so no depth is too deep.
   */
  json(value: unknown): void {
    const left: unknown[] = [value];
    while (left.length > 0) {
      const next = left.pop();
      if (typeof next === 'string') this.result(jsonBytesOfText(next) + 1);
      else if (typeof next !== 'object' || next === null) this.result(String(next).length + 1);
      else if (Array.isArray(next)) {
        this.result(2 + next.length);
        for (const element of next) left.push(element);
      } else {
        this.result(2);
        for (const [name, member] of Object.entries(next)) {
          this.result(jsonBytesOfText(name) + 2);
          left.push(member);
        }
      }
    }
  }

  /** Counts a value as `json` does, and says whether there was room for it. */
  fits(value: unknown): boolean {
    return unlessTooCostly(
      () => {
        this.json(value);
        return true;
      },
      () => false,
    );
  }

  /** A text folded, a long one once in a turn however many edges compare it. */
  fold(text: string, fold: Fold): string {
    if (text.length < rememberedCharsMin || this.#text === Infinity) {
      this.text(text.length);
      return fold(text);
    }
    this.#folded ??= new Map();
    let known = this.#folded.get(fold);
    if (known === undefined) this.#folded.set(fold, (known = new Map<string, string>()));
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    this.text(mayDecompose(text) ? text.length * composingCharsFactor : text.length);
    const folded = fold(text);
    known.set(text, folded);
    return folded;
  }

  #refuse(cost: TurnCost): never {
    throw new TurnTooCostly(cost, this.#allowance[cost]);
  }
}

/** For work outside a turn, whose size is bounded by the definition. It counts nothing and remembers nothing. */
export const uncounted = new TurnBudget({
  text_characters: Infinity,
  pattern_steps: Infinity,
  rendered_characters: Infinity,
  result_bytes: Infinity,
});

/** The answer, or what stands for it where a budget does not reach. */
export function unlessTooCostly<T>(work: () => T, otherwise: (refused: TurnTooCostly) => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TurnTooCostly) return otherwise(error);
    throw error;
  }
}

/** Bytes of a value in JSON, or just more than `max` where it has more. */
export function jsonBytes(value: unknown, max: number): number {
  const budget = new TurnBudget({ ...turnAllowance, result_bytes: max });
  return unlessTooCostly(
    () => {
      budget.json(value);
      return max - budget.bytesLeft;
    },
    () => max + 1,
  );
}
