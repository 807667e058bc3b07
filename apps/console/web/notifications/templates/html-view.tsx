// HTML of a mail, in a frame of its own in which nothing runs (docs/console.md#html-of-a-mail).
import { useMemo, useState, type SyntheticEvent } from 'react';
import { htmlShown, STYLE } from './html-view.rules.ts';

/** Mail is written for white paper, whatever the theme here. Pictures that are not fetched leave their words. */
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
      // Of the same origin, so that its styles can be set from here; without `allow-scripts` nothing in it can make use of that.
      sandbox="allow-same-origin"
      title={title}
      srcDoc={srcdoc}
      onLoad={dress}
      style={{ height }}
      className="w-full rounded-md border border-line bg-white"
    />
  );
}
