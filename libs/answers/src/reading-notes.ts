// Notes on request what a cast did with each token of an answer. A turn notes nothing.
import type { Segment, SegmentKind } from './grammar/segments.ts';
import type { TokenizedUtterance, Token } from './grammar/tokens.ts';
import type { Language } from './language/language.ts';

/** The last three refuse the answer. */
export const tokenRules = [
  ...(['value', 'filler', 'carrier', 'discarded', 'repair', 'other', 'unread'] as const),
  ...(['changes_value', 'second_value', 'question'] as const),
] as const;
export type TokenRule = (typeof tokenRules)[number];

const ruleOfSegment: Readonly<Record<SegmentKind, TokenRule>> = {
  ...({ value: 'value', other: 'other', filler: 'filler', unread: 'unread' } as const),
  ...({ change: 'changes_value', loose: 'second_value' } as const),
};

export class ReadingNotes {
  /** Null: the reader looked at no tokens. */
  said: TokenizedUtterance | null = null;
  /** Of an address, which is found before its words are read. */
  language: Language | null = null;
  private readonly rules = new Map<Token, TokenRule>();

  /** Drops the notes of a failed attempt. */
  begin(said: TokenizedUtterance): void {
    this.said = said;
    this.rules.clear();
  }

  ruleOf(token: Token): TokenRule | undefined {
    return this.rules.get(token);
  }

  /** The later note counts. Parts of an answer share its tokens. */
  mark({ tokens }: TokenizedUtterance, from: number, to: number, rule: TokenRule): void {
    for (const token of tokens.slice(from, to)) this.rules.set(token, rule);
  }

  cut(said: TokenizedUtterance, segments: readonly Segment<unknown>[]): void {
    for (const { kind, from, to } of segments) this.mark(said, from, to, ruleOfSegment[kind]);
  }

  repaired(said: TokenizedUtterance, before: TokenizedUtterance, after: TokenizedUtterance): void {
    const kept = new Set(after.tokens);
    for (const token of said.tokens) if (!kept.has(token)) this.rules.set(token, 'repair');
    this.mark(before, 0, before.tokens.length, 'discarded');
  }
}
