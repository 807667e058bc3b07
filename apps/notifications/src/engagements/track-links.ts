// Pure: rewrites the links of a mail's HTML to this service and adds the picture that records opens
// (docs/notifications.md#opens-and-clicks). Keeps every other byte.
import { Tokenizer, TokenizerMode, type Token } from 'parse5';
import type { Tracking } from './schemas.ts';
import { TARGET_CHARS_MAX } from './tracking-token.ts';

/** Links of one mail. Tokens are longer than links, so further links stay as they are. */
export const LINKS_MAX = 200;

export interface TrackingAddresses {
  /** Links with this base (unsubscribe, preferences) stay as they are. */
  readonly base: string;
  /** The address that counts a click and redirects to the target. */
  readonly linkTo: (target: string) => string;
  readonly picture: string;
}

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function trackHtml(html: string, { opens, clicks }: Tracking, addresses: TrackingAddresses): string {
  const { links, end } = findPlaces(html);
  const replacements: Replacement[] = [];
  if (clicks)
    for (const { from, to, href } of links) {
      const target = parseTarget(href, addresses.base);
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

/** A normalised web link to another service; undefined for paths, `mailto:` and the like. */
function parseTarget(href: string, base: string): string | undefined {
  const target = /^https?:\/\//i.test(href) && URL.canParse(href) ? new URL(href).href : undefined;
  return target && target.length <= TARGET_CHARS_MAX && !target.startsWith(`${base}/v1/`)
    ? target
    : undefined;
}

/** Elements whose content is not markup. */
const RAW: ReadonlySet<string> = new Set(['style', 'script', 'title', 'textarea', 'xmp', 'noframes']);

/** Uses a tokenizer instead of a tree: its time is linear for any input. */
function findPlaces(html: string) {
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
