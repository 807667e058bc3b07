// What a provider charges for its models. Parley computes costs from it.
import { useRef, useState, type KeyboardEvent } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Table } from '../ui/table.tsx';
import { listPrices, type PriceForm, type SettingsForm } from './form.rules.ts';

interface PricesProps {
  readonly form: SettingsForm;
  readonly onChange: (prices: readonly PriceForm[]) => void;
}

export function Prices({ form, onChange }: PricesProps) {
  const rows = listPrices(form);
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const add = () => {
    const model = name.trim();
    if (model === '') return;
    if (!rows.some((row) => row.model === model)) onChange([...rows, { model, input: '', output: '' }]);
    setName('');
  };
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  const remove = (removed: string) => {
    onChange(rows.filter(({ model }) => model !== removed));
    field.current?.focus(); // the row is gone, and focus with it
  };
  const change = (model: string, patch: Partial<PriceForm>) =>
    onChange(rows.map((row) => (row.model === model ? { ...row, ...patch } : row)));
  const price = (row: PriceForm, direction: 'input' | 'output') => (
    <TextField
      label={<span className="sr-only">{`Price of ${direction} of ${row.model}`}</span>}
      type="number"
      min={0}
      max={1_000_000}
      step="any"
      required={row.input !== '' || row.output !== ''}
      className="min-w-18"
      value={row[direction]}
      onChange={({ target }) => change(row.model, { [direction]: target.value })}
    />
  );
  return (
    <>
      {rows.length > 0 && (
        <Table
          label="Prices"
          items={rows}
          rowId={({ model }) => model}
          columns={{
            model: {
              head: 'Model',
              place: 'name',
              className: 'w-full min-w-24 align-middle! break-all',
              cell: ({ model }) => model,
            },
            input: { head: 'Input', cell: (row) => price(row, 'input') },
            output: { head: 'Output', cell: (row) => price(row, 'output') },
          }}
          actions={({ model }) => (
            <IconButton icon="close" label={`Remove the price of ${model}`} onClick={() => remove(model)} />
          )}
          plain
        />
      )}
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            ref={field}
            label="Another model"
            maxLength={200}
            spellCheck={false}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={addOnEnter}
          />
        </div>
        <Button icon="plus" onClick={add}>
          Add price
        </Button>
      </div>
      <p className="text-xs text-ink-2">A flow may choose any model that has a price.</p>
    </>
  );
}
