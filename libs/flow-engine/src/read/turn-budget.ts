// Limits the cost of one turn by counting, not timing: the same turn costs the same on every
// machine. Together with the count of node visits it proves that a turn ends. Count here before the
// work is done and before memory is taken. Exceeding the budget throws TurnTooCostly, which walk.ts
// turns into a refusal.
import { limits } from '../define/limits.ts';
import { jsonBytesOfText } from './json-bytes.ts';
import { mayDecompose, type Fold } from '@parley/answers/readings';

/** The kinds of cost, as a refusal names them. */
export type TurnCost = 'text_characters' | 'pattern_steps' | 'rendered_characters' | 'result_bytes';

/** Thrown by a budget, and caught where a walk begins or continues. */
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

/** Below it, folding again costs no more than a lookup. */
const rememberedCharsMin = 64;
/** Cost of composing a character (Unicode NFC), relative to reading it. */
const composingCharsFactor = 32;
/**
 * Below it, a text counts as its longest possible JSON: measuring every text would cost a tenth of
 * a usual turn.
 */
const measuredCharsMin = 512;
/** Of one UTF-16 unit in JSON: a control character is written as \u0001. */
const bytesPerCharMax = 6;
/** Of a number in JSON, a boolean or null. */
const scalarBytes = 24;

const costMax: Readonly<Record<TurnCost, number>> = {
  text_characters: limits.turnTextCharsMax,
  pattern_steps: limits.turnPatternStepsMax,
  rendered_characters: limits.turnRenderedCharsMax,
  result_bytes: limits.turnResultBytesMax,
};

const never = (): boolean => false;

const bytesOfText = (text: string): number =>
  text.length < measuredCharsMin ? text.length * bytesPerCharMax : jsonBytesOfText(text);

/** With its quotes. */
const bytesOfScalar = (value: unknown): number =>
  typeof value === 'string' ? 2 + bytesOfText(value) : scalarBytes;

interface FoldCache {
  readonly text: string;
  readonly fold: Fold;
  readonly as: string;
}

const nothingFolded: FoldCache = { text: '', fold: String, as: '' };

/** Plain fields of small integers instead of a table: every comparison of a turn counts. */
export class TurnBudget {
  private textLeft: number = limits.turnTextCharsMax;
  private patternsLeft: number = limits.turnPatternStepsMax;
  private renderedLeft: number = limits.turnRenderedCharsMax;
  private resultLeft: number;
  private folded: FoldCache = nothingFolded;
  private done: Map<(text: string) => unknown, Map<string, unknown>> | null = null;

  /** @param resultLeft bytes left for the result. */
  constructor(resultLeft: number = limits.turnResultBytesMax) {
    this.resultLeft = resultLeft;
  }

  /** An independent copy of the budget as it is now. */
  fork(): TurnBudget {
    const copy = new TurnBudget(this.resultLeft);
    copy.textLeft = this.textLeft;
    copy.patternsLeft = this.patternsLeft;
    copy.renderedLeft = this.renderedLeft;
    return copy;
  }

  /** Characters that are folded, searched or read as a number. */
  text(characters: number): void {
    if ((this.textLeft -= characters) < 0) this.refuse('text_characters');
  }

  /** Characters of a text times the instructions of a pattern. */
  patterns(steps: number): void {
    if ((this.patternsLeft -= steps) < 0) this.refuse('pattern_steps');
  }

  /** Characters inserted into templates. */
  rendered(characters: number): void {
    if ((this.renderedLeft -= characters) < 0) this.refuse('rendered_characters');
  }

  /** Bytes of the result. */
  result(bytes: number): void {
    if ((this.resultLeft -= bytes) < 0) this.refuse('result_bytes');
  }

  /** A text of the result, and the bytes of its surroundings. */
  resultText(text: string, around = 2): void {
    this.result(around + bytesOfText(text));
  }

  /**
   * A value of the result, as JSON. Counts member by member without writing it: the same value may
   * occur a thousand times. The stack is an array, so any depth works.
   */
  json(value: unknown): void {
    if (typeof value !== 'object' || value === null) return this.result(bytesOfScalar(value));
    const left: object[] = [value];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const names = Array.isArray(next) ? [] : Object.keys(next);
      const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
      let bytes = 2 + members.length;
      for (const name of names) bytes += 3 + bytesOfText(name);
      for (const member of members) {
        if (typeof member === 'object' && member !== null) left.push(member);
        // At once: a list may hold the same long text a thousand times, and measuring takes long.
        else if (typeof member === 'string' && member.length >= measuredCharsMin) this.resultText(member);
        else bytes += bytesOfScalar(member);
      }
      this.result(bytes);
    }
  }

  /** Counts a value as `json` does, and returns whether it fitted. */
  fits(value: unknown): boolean {
    return tryWithinBudget(
      () => {
        this.json(value);
        return true;
      },
      () => false,
    );
  }

  /** Folds a text; a long one once a turn, however many edges compare it. */
  fold(text: string, fold: Fold): string {
    if (text.length >= rememberedCharsMin) return this.once(text, fold, mayDecompose);
    if ((this.textLeft -= text.length) < 0) this.refuse('text_characters');
    if (text !== this.folded.text || fold !== this.folded.fold) this.folded = { text, fold, as: fold(text) };
    return this.folded.as;
  }

  /** Reads a value as a number, a moment or a truth value; a long text once a turn. */
  read<T>(read: (value: unknown) => T, value: unknown): T {
    if (typeof value !== 'string') return read(value);
    if (value.length >= rememberedCharsMin) return this.once(value, read, never);
    if ((this.textLeft -= value.length) < 0) this.refuse('text_characters');
    return read(value);
  }

  /** The cached result of `work` for the text, or a new one. */
  protected once<T>(text: string, work: (text: string) => T, isCostly: (text: string) => boolean): T {
    this.done ??= new Map();
    let known = this.done.get(work);
    if (known === undefined) this.done.set(work, (known = new Map<string, unknown>()));
    const remembered = known.get(text) as T | undefined;
    if (remembered !== undefined) return remembered;
    this.text(isCostly(text) ? text.length * composingCharsFactor : text.length);
    const made = work(text);
    known.set(text, made);
    return made;
  }

  private refuse(cost: TurnCost): never {
    throw new TurnTooCostly(cost, costMax[cost]);
  }
}

/** For work outside a turn, whose size the definition bounds: counts nothing, caches nothing. */
class UncountedBudget extends TurnBudget {
  override text(): void {}
  override patterns(): void {}
  override rendered(): void {}
  override result(): void {}
  override fold(text: string, fold: Fold): string {
    return fold(text);
  }
  override read<T>(read: (value: unknown) => T, value: unknown): T {
    return read(value);
  }
}
export const uncounted: TurnBudget = new UncountedBudget();

/**
 * For comparing the same texts with many values outside a turn: counts nothing, caches everything.
 */
export class CachingBudget extends UncountedBudget {
  override fold(text: string, fold: Fold): string {
    return this.once(text, fold, never);
  }
  override read<T>(read: (value: unknown) => T, value: unknown): T {
    return typeof value === 'string' ? this.once(value, read, never) : read(value);
  }
}

/** The result of `work`, or of `otherwise` when the budget does not suffice. */
export function tryWithinBudget<T>(work: () => T, otherwise: (refused: TurnTooCostly) => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TurnTooCostly) return otherwise(error);
    throw error;
  }
}

/**
 * Bytes of a value in JSON, or just more than `max`. Short texts count as their longest possible
 * JSON.
 */
export function jsonBytes(value: unknown, max: number): number {
  const measure = new Measure(max);
  return measure.fits(value) ? measure.bytes : max + 1;
}

class Measure extends TurnBudget {
  bytes = 0;
  readonly max: number;

  constructor(max: number) {
    super(max);
    this.max = max;
  }

  override result(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.max) throw new TurnTooCostly('result_bytes', this.max);
  }
}
