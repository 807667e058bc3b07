// Previews the HTML of an e-mail in a sandboxed frame (docs/console.md#html-of-a-mail).
import { useMemo, useState, type SyntheticEvent } from 'react';
import { htmlShown, STYLE } from './html-view.rules.ts';

/**
 * E-mail is designed for a white background, in every theme. Blocked images show their alt
 * text.
 */
const PAPER = `html { color-scheme: light; background: #fff; color: #1b1c1a; font: 14px/1.5 sans-serif }
body { margin: 12px; overflow-wrap: anywhere } a { color: #0a58ca; text-decoration: underline }
img:not([src]) { outline: 1px dashed #86867e }`;
const HEIGHT_MAX_PX = 560;

interface HtmlViewProps {
  readonly html: string;
  readonly title: string;
  readonly language: string;
}

export function HtmlView({ html, title, language }: HtmlViewProps) {
  const { srcdoc, sheet } = useMemo(() => htmlShown(html, language), [html, language]);
  const [height, setHeight] = useState(96);
  const dress = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>) => {
    const inside = frame.contentDocument;
    if (inside === null) return;
    for (const one of inside.querySelectorAll<HTMLElement>(`[${STYLE}]`))
      one.style.cssText = one.getAttribute(STYLE) ?? '';
    const { CSSStyleSheet: Sheet } = frame.contentWindow as Window & typeof globalThis;
    const dressed = new Sheet();
    dressed.replaceSync(`${PAPER}\n${sheet}`);
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
      style={{ height }}
      className="w-full rounded-md border border-line bg-white"
    />
  );
}
