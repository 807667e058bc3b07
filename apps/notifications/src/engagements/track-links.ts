// The links of a mail's HTML, led through this service, and the picture that says it was opened (docs/notifications.md#opens-and-clicks).
// Pure. Everything else of the HTML stays byte for byte.
import { Tokenizer, TokenizerMode, type Token } from 'parse5';
import type { Tracking } from './schemas.ts';
import { TARGET_CHARS_MAX } from './tracking-token.ts';

/** Of one mail. A token is longer than its link: what comes after these leads straight to where it did. */
export const LINKS_MAX = 200;

export interface TrackingAddresses {
  /** What begins with it is a link of ours, to unsubscribe or to preferences, and is left alone. */
  readonly base: string;
  /** Where a click on this link is counted and led on. */
  readonly linkTo: (target: string) => string;
  readonly picture: string;
}

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function trackedHtml(html: string, { opens, clicks }: Tracking, addresses: TrackingAddresses): string {
  const { links, end } = placesIn(html);
  const replacements: Replacement[] = [];
  if (clicks)
    for (const { from, to, href } of links) {
      const target = targetOf(href, addresses.base);
      if (target === undefined || replacements.length >= LINKS_MAX) continue;
      replacements.push({ from, to, text: `href="${addresses.linkTo(target)}"` });
    }
  if (opens)
    replacements.push({
      from: end,
      to: end,
      text: `<img src="${addresses.picture}" width="1" height="1" alt="">`,
    });
  let done = 0;
  let text = '';
  for (const { from, to, text: inserted } of replacements.sort((one, other) => one.from - other.from)) {
    text += html.slice(done, from) + inserted;
    done = to;
  }
  return text + html.slice(done);
}

/** An address of the web that is not ours, as a browser asks for it. Paths, anchors, `mailto:` and the like mean nothing to a redirect. */
function targetOf(href: string, base: string): string | undefined {
  const target = /^https?:\/\//i.test(href) && URL.canParse(href) ? new URL(href).href : undefined;
  return target && target.length <= TARGET_CHARS_MAX && !target.startsWith(`${base}/v1/`)
    ? target
    : undefined;
}

/** What stands in them is no markup. */
const RAW: ReadonlySet<string> = new Set(['style', 'script', 'title', 'textarea', 'xmp', 'noframes']);

/** Where `href` of links stands, and where the body ends. A tokenizer and no tree: its time grows with the length, whatever it is made of. */
function placesIn(html: string) {
  const links: { readonly from: number; readonly to: number; readonly href: string }[] = [];
  let end = html.length;
  const ignore = () => undefined;
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: ({ tagName, attrs, location }: Token.TagToken) => {
        tokenizer.lastStartTagName = tagName;
        if (RAW.has(tagName)) tokenizer.state = TokenizerMode.RAWTEXT;
        if (tagName !== 'a' && tagName !== 'area') return;
        const at = location?.attrs?.['href'];
        const href = attrs.find(({ name }) => name === 'href')?.value.trim();
        if (at && href !== undefined) links.push({ from: at.startOffset, to: at.endOffset, href });
      },
      onEndTag: ({ tagName, location }: Token.TagToken) => {
        if (tagName === 'body' && location) end = location.startOffset;
      },
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
    },
  );
  tokenizer.write(html, true);
  return { links, end };
}
