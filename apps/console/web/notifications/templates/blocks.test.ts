import { expect, test } from '@jest/globals';
import { NEW, readBlocks, writeBlocks, type Block } from './blocks.rules.ts';

const text = (words: string): Block => ({ kind: 'text', text: words });

test('blocks are read from the HTML that they write', () => {
  const blocks: Block[] = [
    { kind: 'heading', text: 'Hello {{ name | default: "you" }} & all' },
    text('One <b>\n\n{% if total > 1 %}many{% endif %}'),
    { kind: 'button', text: 'Track', url: 'https://x.example/?a=1&b="{{ id }}"' },
    { kind: 'image', url: '{{ picture }}', alt: '"Tea"' },
    { kind: 'divider' },
    { kind: 'columns', left: [text('left')], right: [NEW.divider, text('right')] },
    ...Object.values(NEW),
  ];
  expect(readBlocks(writeBlocks(blocks))).toEqual(blocks);
});

test('code of the engine keeps its meaning', () => {
  const html = writeBlocks([
    text('{% if a<b %}x{% endif %}'),
    { kind: 'button', text: 'Go', url: '{{ link | default: "https://x.example" }}' },
  ]);
  expect(html).toContain('{% if a< b %}x{% endif %}');
  expect(html).toContain(`href="{{ link | default: 'https://x.example' }}"`);
});

test('no HTML is no blocks, and other HTML has none', () => {
  expect(writeBlocks([])).toBe('');
  expect(readBlocks('')).toEqual([]);
  const html = writeBlocks([text('Hello')]);
  for (const other of [
    '<p>Hi</p>',
    html.replace('Hello', '<b>Hello</b>'),
    html.replace('</body>', '<p>more</p></body>'),
    html.replace('16px', '18px'),
  ])
    expect(readBlocks(other)).toBeNull();
});
