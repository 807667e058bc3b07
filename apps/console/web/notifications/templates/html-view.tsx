// Previews the HTML of an e-mail in a sandboxed frame (docs/console.md#html-of-a-mail).
import { useMemo, useState, type SyntheticEvent } from 'react';
import { htmlShown, STYLE } from './html-view.rules.ts';

/**
 * E-mail is designed for a white background, in every theme of the console. Blocked images show
 * their alt text.
 */
const paper = (dark: boolean) => `html { ${
  dark
    ? 'color-scheme: dark; background: #16181d; color: #eceef2'
    : 'color-scheme: light; background: #fff; color: #1b1c1a'
}; font: 14px/1.5 sans-serif }
body { margin: 12px; overflow-wrap: anywhere } :where(a) { color: ${dark ? '#8ab4f8' : '#0a58ca'}; text-decoration: underline }
img:not([src]) { display: inline-block; min-width: 24px; min-height: 24px; outline: 1px dashed #86867e }`;
/** Style rules for dark or light clients apply by the preview, not by the console's theme. */
const inScheme = (sheet: string, dark: boolean): string =>
  sheet.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/g, (_, scheme) =>
    (scheme === 'dark') === dark ? '(min-width: 0)' : '(max-width: 0)',
  );
const HEIGHT_MAX_PX = 560;

interface HtmlViewProps {
  readonly html: string;
  readonly title: string;
  readonly language: string;
  /** As in a client that is dark: `prefers-color-scheme` of the mail matches. */
  readonly dark?: boolean;
  /** Below 1 the mail is laid out wider than its place, and made smaller. */
  readonly zoom?: number;
}

export function HtmlView({ html, title, language, dark = false, zoom = 1 }: HtmlViewProps) {
  const { srcdoc, sheet } = useMemo(() => htmlShown(html, language), [html, language]);
  const [height, setHeight] = useState(96);
  const dress = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>) => {
    const inside = frame.contentDocument;
    if (inside === null) return;
    for (const one of inside.querySelectorAll<HTMLElement>(`[${STYLE}]`))
      one.style.cssText = one.getAttribute(STYLE) ?? '';
    const { CSSStyleSheet: Sheet } = frame.contentWindow as Window & typeof globalThis;
    const dressed = new Sheet();
    dressed.replaceSync(`${paper(dark)}\n${inScheme(sheet, dark)}`);
    inside.adoptedStyleSheets = [dressed];
    setHeight(Math.min(inside.documentElement.offsetHeight, HEIGHT_MAX_PX));
  };
  return (
    <iframe
      // Same origin lets this page set styles. Without `allow-scripts`, the content cannot exploit
      // it.
      sandbox="allow-same-origin"
      title={title}
      srcDoc={srcdoc}
      onLoad={dress}
      style={{ height, zoom, colorScheme: dark ? 'dark' : 'light' }}
      className={`block w-full ${dark ? 'bg-[#16181d]' : 'bg-white'}`}
    />
  );
}
