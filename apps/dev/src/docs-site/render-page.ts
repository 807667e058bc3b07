// One Markdown page as HTML, with the sections that the search finds.
import GithubSlugger from 'github-slugger';
import { Marked, type Token, type Tokens } from 'marked';

export interface Section {
  readonly title: string;
  /** Without the #; empty for the page itself. */
  readonly anchor: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** `resolve` gives the address of a link; undefined leaves its text. */
export function renderPage(text: string, resolve: (href: string) => string | undefined): RenderedPage {
  const slugger = new GithubSlugger();
  const anchors = new Map<Token, string>();
  const marked = new Marked();
  const tokens = marked.lexer(text);
  const sections = readSections(tokens, slugger, anchors);
  marked.use({
    renderer: {
      heading(token: Tokens.Heading) {
        const { depth, tokens: inner } = token;
        return `<h${depth} id="${anchors.get(token) ?? ''}">${this.parser.parseInline(inner)}</h${depth}>\n`;
      },
      link({ href, tokens: inner }: Tokens.Link) {
        const address = resolve(href);
        const words = this.parser.parseInline(inner);
        return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
      image({ href, text: words }: Tokens.Image) {
        return `<img src="${escapeHtml(resolve(href) ?? href)}" alt="${escapeHtml(words)}">`;
      },
      html: ({ text: html }: Tokens.HTML | Tokens.Tag) => (html.startsWith('<!--') ? '' : escapeHtml(html)),
    },
  });
  return { title: sections[0]?.title ?? '', html: marked.parser(tokens), sections };
}

/** Notes the anchor of each heading. */
function readSections(
  tokens: readonly Token[],
  slugger: GithubSlugger,
  anchors: Map<Token, string>,
): Section[] {
  const sections: { title: string; anchor: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = plainText(token.tokens ?? []);
      const anchor = slugger.slug(title);
      anchors.set(token, anchor);
      sections.push({
        title: title.replaceAll('`', ''),
        anchor: sections.length === 0 ? '' : anchor,
        text: '',
      });
    } else if (token.type !== 'space' && token.type !== 'html') {
      const last = sections.at(-1);
      if (last) last.text += ` ${token.raw.replaceAll(/[`*|\n]|\]\([^)]*\)|\[|---/g, ' ')}`;
    }
  }
  return sections.map(({ text, ...rest }) => ({ ...rest, text: text.replaceAll(/\s+/g, ' ').trim() }));
}

const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : token.raw)).join('');

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
