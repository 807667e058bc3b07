// Makes the plain-text part of a mail from its HTML. Runs where the template renders, so the same
// meter and thread bound its time.
import { compile } from 'html-to-text';
import { TemplateProblem } from './engine.ts';
import { chargeWork, withMeter, type Meter } from './meter.ts';
import { MESSAGE_CHARS_MAX } from './text-limits.ts';

/** Deeper elements are left out. */
const DEPTH_MAX = 100;

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: DEPTH_MAX, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Cut to the longest message. Undefined: the HTML has no text. @throws TemplateProblem */
export function toText(html: string, meter: Meter): string | undefined {
  const text = withMeter(meter, () => {
    try {
      chargeWork(html.length);
    } catch (error) {
      throw new TemplateProblem(`text of the HTML: ${(error as Error).message}`);
    }
    return convert(html).trim();
  });
  if (text === '') return undefined;
  return text.length > MESSAGE_CHARS_MAX ? `${cut(text, MESSAGE_CHARS_MAX - 1)}…` : text;
}

/** Never inside of a surrogate pair. */
function cut(text: string, charsMax: number): string {
  const isHigh = /[\uD800-\uDBFF]/.test(text.charAt(charsMax - 1));
  return text.slice(0, isHigh ? charsMax - 1 : charsMax);
}
