// Shortens answers to fit a model's context: cuts lists at their end and reports it
// (docs/mcp.md#bounds).
import { ToolError } from './not-done.ts';
import type { Answer } from './tool.ts';

/** Items per list. */
export const ITEMS_MAX = 200;
/** About 30,000 tokens. */
export const ANSWER_BYTES_MAX = 131_072;

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * Drops items from the end of the longest lists. @throws ToolError when the answer stays too long
 */
export function boundAnswer(answer: Answer): Answer {
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
  for (let bytes = countBytes(left); bytes > ANSWER_BYTES_MAX; bytes = countBytes(left)) {
    const [longest] = lists().sort(([, a], [, b]) => countBytes(b) - countBytes(a));
    if (!longest)
      throw new ToolError(
        `the answer has ${bytes} bytes, of which at most ${ANSWER_BYTES_MAX} are given: ask for less`,
      );
    cut(...longest, Math.floor(longest[1].length / 2));
  }
  return Object.keys(omitted).length > 0 ? { ...left, omitted } : left;
}
