// An answer is read by a model whose window is not endless: lists are cut at their end, and say so (docs/mcp.md#bounds).
import { NotDone } from './not-done.ts';
import type { Answer } from './tool.ts';

/** Of one list. */
export const ITEMS_MAX = 200;
/** About 30,000 tokens. */
export const ANSWER_BYTES_MAX = 131_072;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The longest lists lose their last items until the answer is short enough. @throws NotDone where that is never so */
export function bounded(answer: Answer): Answer {
  const left: Record<string, unknown> = { ...answer };
  const omitted: Record<string, number> = {};
  const cut = (name: string, items: readonly unknown[], keep: number): void => {
    left[name] = items.slice(0, keep);
    omitted[name] = (omitted[name] ?? 0) + items.length - keep;
  };
  const lists = () =>
    Object.entries(left).filter(
      (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0,
    );

  for (const [name, items] of lists()) if (items.length > ITEMS_MAX) cut(name, items, ITEMS_MAX);
  for (let bytes = bytesOf(left); bytes > ANSWER_BYTES_MAX; bytes = bytesOf(left)) {
    const [longest] = lists().sort(([, a], [, b]) => bytesOf(b) - bytesOf(a));
    if (!longest)
      throw new NotDone(
        `the answer has ${bytes} bytes, of which at most ${ANSWER_BYTES_MAX} are given: ask for less`,
      );
    cut(...longest, Math.floor(longest[1].length / 2));
  }
  return Object.keys(omitted).length > 0 ? { ...left, omitted } : left;
}
