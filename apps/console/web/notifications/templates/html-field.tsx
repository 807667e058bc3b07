// The HTML of a mail: blocks, with the source beside them. Other HTML is edited as source only.
import { useState } from 'react';
import { TextArea } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { readBlocks, writeBlocks } from './blocks.rules.ts';
import { BlocksEditor } from './blocks-editor.tsx';

const WAYS = [
  { key: 'blocks', label: 'Blocks' },
  { key: 'source', label: 'Source' },
] as const;

interface HtmlFieldProps {
  readonly html: string;
  readonly onChange: (html: string) => void;
}

export function HtmlField({ html, onChange }: HtmlFieldProps) {
  const [way, setWay] = useState<'blocks' | 'source'>('blocks');
  const blocks = readBlocks(html);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-medium">Content of the e-mail</legend>
      {blocks && <Segments label="Edit as" options={WAYS} value={way} onChange={setWay} />}
      {blocks && way === 'blocks' ? (
        <BlocksEditor label="Blocks" blocks={blocks} onChange={(next) => onChange(writeBlocks(next))} />
      ) : (
        <TextArea
          label="HTML"
          rows={16}
          maxLength={262_144}
          className="font-mono text-xs"
          spellCheck={false}
          hint={
            blocks
              ? 'Data is escaped. The e-mail also contains the text, or one made from this HTML'
              : 'This HTML was not made from blocks, so it is edited as source. Clear it to begin with blocks'
          }
          value={html}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </fieldset>
  );
}
