// Makes the HTML of an e-mail safe to preview: no scripts, links or requests
// (docs/console.md#html-of-a-mail). Pure.
import { parse, serialize, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface SafeHtml {
  readonly srcdoc: string;
  /** The content of its style elements. */
  readonly sheet: string;
}

/**
 * Holds a style attribute: the content security policy blocks inline styles but not those set by
 * script.
 */
export const STYLE = 'data-style';

const GONE = [
  ...['script', 'noscript', 'template', 'style', 'link', 'meta', 'base'],
  ...['iframe', 'frame', 'frameset', 'object', 'embed', 'audio', 'video', 'source', 'use'],
];
/** Attributes that cause a request or a navigation. */
const LEADING = ['src', 'srcset', 'href', 'xlink:href', 'background', 'action', 'formaction', 'ping'];

export function htmlShown(html: string, language: string): SafeHtml {
  const page = parse(html);
  const sheets: string[] = [];
  const waiting: Node[] = [page];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.nodeName === 'style') sheets.push(textIn(node));
    if (GONE.includes(node.nodeName)) continue;
    if ('attrs' in node) node.attrs = node.attrs.flatMap((attribute) => shown(node, attribute));
    if (node.nodeName === 'html' && 'attrs' in node && !node.attrs.some(({ name }) => name === 'lang'))
      node.attrs.push({ name: 'lang', value: language });
    if (!('childNodes' in node)) continue;
    waiting.push(...node.childNodes.toReversed()); // document order
    node.childNodes = node.childNodes.filter(({ nodeName }) => !GONE.includes(nodeName));
  }
  return { srcdoc: serialize(page), sheet: sheets.join('\n') };
}

type Attribute = Element['attrs'][number];

function shown({ nodeName }: Element, attribute: Attribute): Attribute[] {
  const { name, value } = attribute;
  if (name === 'style') return [{ name: STYLE, value }];
  if (name === 'href' && nodeName === 'a') return [{ name: 'title', value }];
  if (name === 'src' && nodeName === 'img' && /^data:image\//i.test(value)) return [attribute];
  return name.startsWith('on') || LEADING.includes(name) ? [] : [attribute];
}

const textIn = (node: Node): string =>
  'childNodes' in node ? node.childNodes.map((child) => ('value' in child ? child.value : '')).join('') : '';
