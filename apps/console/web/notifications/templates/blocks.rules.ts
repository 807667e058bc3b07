// Pure: the blocks of a mail, written as HTML that mail clients read (tables, inline styles), and
// read from it. HTML that is not exactly what these blocks write has no blocks.
import { parse, type DefaultTreeAdapterTypes } from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

export type Block =
  | { readonly kind: 'heading' | 'text'; readonly text: string }
  | { readonly kind: 'button'; readonly text: string; readonly url: string }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'divider' }
  | { readonly kind: 'columns'; readonly left: readonly Block[]; readonly right: readonly Block[] };
export type BlockKind = Block['kind'];

/** A new block of each kind, in the order of the menu. */
export const NEW: { readonly [Kind in BlockKind]: Block & { readonly kind: Kind } } = {
  heading: { kind: 'heading', text: '' },
  text: { kind: 'text', text: '' },
  button: { kind: 'button', text: '', url: '' },
  image: { kind: 'image', url: '', alt: '' },
  divider: { kind: 'divider' },
  columns: { kind: 'columns', left: [], right: [] },
};

const HEAD = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<style>
@media (max-width: 480px) { .column { display: block !important; width: auto !important } }
@media (prefers-color-scheme: dark) {
  body { background: #16181d !important }
  h1, p { color: #eceef2 !important }
  hr { border-top-color: #3a3f4a !important }
}
</style>
</head>
<body style="margin: 0; background: #ffffff">
`;
const TABLE = 'role="presentation" width="100%" cellpadding="0" cellspacing="0"';
const FONT = 'font-family: Arial, Helvetica, sans-serif; color: #1c1f26';

/** No blocks are no HTML. */
export function writeBlocks(blocks: readonly Block[]): string {
  if (blocks.length === 0) return '';
  const mail = `<table ${TABLE} align="center" style="max-width: 600px">\n${rows(blocks)}</table>`;
  return `${HEAD}${mail}\n</body>\n</html>\n`;
}

const rows = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => {
      const padding = block.kind === 'columns' ? '0' : '8px 16px'; // columns have rows of their own
      return `<tr><td style="padding: ${padding}">${cell(block)}</td></tr>\n`;
    })
    .join('');

function cell(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h1 style="margin: 8px 0 0; font-size: 24px; line-height: 30px; ${FONT}">${escape(block.text)}</h1>`;
    case 'text':
      return `<p style="margin: 0; font-size: 16px; line-height: 24px; ${FONT}">${escape(block.text)}</p>`;
    case 'button':
      return (
        `<a href="${attribute(block.url)}" style="display: inline-block; padding: 12px 20px; border-radius: 6px; ` +
        `background: #0a6664; color: #ffffff; font: bold 16px Arial, Helvetica, sans-serif; text-decoration: none">${escape(block.text)}</a>`
      );
    case 'image':
      return `<img src="${attribute(block.url)}" alt="${attribute(block.alt)}" style="display: block; max-width: 100%">`;
    case 'divider':
      return '<hr style="border: 0; border-top: 1px solid #d5d8de; margin: 8px 0">';
    case 'columns':
      return `<table ${TABLE}><tr>\n${column(block.left)}${column(block.right)}</tr></table>`;
  }
}

const column = (blocks: readonly Block[]): string =>
  `<td class="column" width="50%" valign="top"><table ${TABLE}>\n${rows(blocks)}</table></td>\n`;

const CODE = /(\{\{[^]*?\}\}|\{%[^]*?%\})/;

/** Escapes all but the code of the template engine, in which HTML has no meaning. */
function escapeAround(text: string, words: (part: string) => string, code: (part: string) => string) {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 0 ? words(part) : code(part)))
    .join('');
}

/** A letter behind `<` would begin a tag. */
const escape = (text: string): string =>
  escapeAround(
    text,
    (part) =>
      part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>'),
    (part) => part.replaceAll('\n', ' ').replace(/<(?=[a-z/!?])/gi, '< '),
  );

const attribute = (text: string): string =>
  escapeAround(
    text,
    (part) => part.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    (part) => part.replaceAll('"', "'"),
  );

/** Null: this HTML was not written from blocks, so it is edited as source. */
export function readBlocks(html: string): Block[] | null {
  if (html.trim() === '') return [];
  const body = child(child(parse(html), 'html'), 'body');
  const blocks = body && readRows(child(body, 'table'));
  return blocks && writeBlocks(blocks) === html ? blocks : null;
}

const elements = (node: Node | undefined): Element[] =>
  node && 'childNodes' in node ? node.childNodes.filter((one): one is Element => 'tagName' in one) : [];
const child = (node: Node | undefined, name: string): Element | undefined =>
  elements(node).find(({ tagName }) => tagName === name);

/** Unknown content is left out here, and then found by comparing what the blocks write. */
function readRows(table: Element | undefined): Block[] {
  return elements(child(table, 'tbody')).flatMap((row) => {
    const content = elements(child(row, 'td'))[0];
    return content ? readCell(content) : [];
  });
}

function readCell(element: Element): Block[] {
  const text = textIn(element);
  const value = (name: string) => element.attrs.find((one) => one.name === name)?.value ?? '';
  switch (element.tagName) {
    case 'h1':
      return [{ kind: 'heading', text }];
    case 'p':
      return [{ kind: 'text', text }];
    case 'a':
      return [{ kind: 'button', text, url: value('href') }];
    case 'img':
      return [{ kind: 'image', url: value('src'), alt: value('alt') }];
    case 'hr':
      return [{ kind: 'divider' }];
    case 'table': {
      const [left, right] = elements(child(child(element, 'tbody'), 'tr')).map((one) =>
        readRows(child(one, 'table')),
      );
      return [{ kind: 'columns', left: left ?? [], right: right ?? [] }];
    }
    default:
      return [];
  }
}

const textIn = (element: Element): string =>
  element.childNodes.map((one) => ('value' in one ? one.value : one.nodeName === 'br' ? '\n' : '')).join('');
