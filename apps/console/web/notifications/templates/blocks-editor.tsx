// Edits a mail as blocks. What is stored is the HTML that they write.
import { useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { NEW, type Block, type BlockKind } from './blocks.rules.ts';

const LABELS: Readonly<Record<BlockKind, string>> = {
  heading: 'Heading',
  text: 'Text',
  button: 'Button',
  image: 'Image',
  divider: 'Divider',
  columns: 'Two columns',
};
/** Of blocks whose fields do not say what they are. */
const HEADS: Partial<typeof LABELS> = { ...LABELS, heading: undefined, text: undefined };
const KINDS = Object.keys(LABELS) as BlockKind[];

interface BlocksProps {
  /** Names the list, for screen readers. */
  readonly label: string;
  readonly blocks: readonly Block[];
  readonly onChange: (blocks: readonly Block[]) => void;
  /** The list is a column of another one. */
  readonly nested?: boolean;
}

export function BlocksEditor({ label, blocks, onChange, nested = false }: BlocksProps) {
  const list = useRef<HTMLDivElement>(null);
  /** Focuses the first of these controls that the block has, else the buttons that add one. */
  const focus = (index: number, ...wanted: readonly string[]) =>
    requestAnimationFrame(() => {
      const block = list.current?.querySelectorAll(':scope > ol > li')[index];
      const add = list.current?.querySelector<HTMLElement>(':scope > [role=group] button');
      const [target = add] = wanted.flatMap((one) => block?.querySelector<HTMLElement>(one) ?? []);
      target?.focus();
    });
  const put = (index: number, block: Block) => onChange(blocks.with(index, block));
  const move = (from: number, to: number) => {
    onChange(blocks.toSpliced(from, 1).toSpliced(to, 0, blocks[from]!));
    const isLast = to === 0 || to === blocks.length - 1;
    const direction = to < from === !isLast ? 'Move up' : 'Move down';
    focus(to, `[aria-label^="${direction}"]`);
  };
  return (
    <div ref={list} className="flex min-w-0 flex-col gap-2">
      {blocks.length > 0 && (
        <ol aria-label={label} className="flex flex-col gap-2">
          {blocks.map((block, index) => (
            // A block has no identity but its place.
            <li key={index} className="@container rounded-lg border border-line bg-surface p-2">
              <div
                className={`relative flex items-center gap-1 ${HEADS[block.kind] === undefined ? '-mb-7' : ''}`}
              >
                <p className="min-w-0 flex-1 truncate text-xs font-medium text-ink-2">{HEADS[block.kind]}</p>
                <IconButton
                  label={`Move up block ${index + 1}`}
                  icon="up"
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                />
                <IconButton
                  label={`Move down block ${index + 1}`}
                  icon="down"
                  disabled={index === blocks.length - 1}
                  onClick={() => move(index, index + 1)}
                />
                <IconButton
                  label={`Remove block ${index + 1}`}
                  icon="close"
                  onClick={() => {
                    onChange(blocks.toSpliced(index, 1));
                    focus(Math.min(index, blocks.length - 2), '[aria-label^="Remove"]');
                  }}
                />
              </div>
              <BlockFields block={block} onChange={(next) => put(index, next)} />
            </li>
          ))}
        </ol>
      )}
      <div role="group" aria-label={`Add to ${label.toLowerCase()}`} className="flex flex-wrap gap-1">
        {KINDS.filter((kind) => !nested || kind !== 'columns').map((kind) => (
          <Button
            key={kind}
            kind={nested ? 'quiet' : 'plain'}
            icon="plus"
            className="px-2"
            onClick={() => {
              onChange([...blocks, NEW[kind]]);
              focus(blocks.length, 'input, textarea', '[role=group] button', '[aria-label^="Remove"]');
            }}
          >
            {LABELS[kind]}
          </Button>
        ))}
      </div>
    </div>
  );
}

interface BlockFieldsProps {
  readonly block: Block;
  readonly onChange: (block: Block) => void;
}

function BlockFields({ block, onChange }: BlockFieldsProps) {
  const line = (label: string, value: string, change: (text: string) => Block) => (
    <TextField
      label={label}
      dir="auto"
      value={value}
      onChange={(event) => onChange(change(event.target.value))}
    />
  );
  switch (block.kind) {
    case 'heading':
      return line('Heading', block.text, (text) => ({ ...block, text }));
    case 'text':
      return (
        <TextArea
          label="Text"
          rows={3}
          dir="auto"
          value={block.text}
          onChange={(event) => onChange({ ...block, text: event.target.value })}
        />
      );
    case 'button':
      return (
        <div className="grid gap-2 @sm:grid-cols-2">
          {line('Button text', block.text, (text) => ({ ...block, text }))}
          {line('Link', block.url, (url) => ({ ...block, url }))}
        </div>
      );
    case 'image':
      return (
        <div className="grid gap-2 @sm:grid-cols-2">
          {line('Image URL', block.url, (url) => ({ ...block, url }))}
          {line('Text instead of the image', block.alt, (alt) => ({ ...block, alt }))}
        </div>
      );
    case 'divider':
      return null;
    case 'columns':
      return (
        <div className="grid gap-2 @sm:grid-cols-2">
          {(['left', 'right'] as const).map((side) => (
            <div key={side} className="min-w-0 border-l-2 border-line pl-2">
              <BlocksEditor
                nested
                label={side === 'left' ? 'Left column' : 'Right column'}
                blocks={block[side]}
                onChange={(blocks) => onChange({ ...block, [side]: blocks })}
              />
            </div>
          ))}
        </div>
      );
  }
}
