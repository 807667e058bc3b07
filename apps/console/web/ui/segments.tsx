// A choice of a few views as one row. Radio buttons, so it is one tab stop and arrow keys choose.
import { useId } from 'react';

interface SegmentsProps<Key extends string> {
  readonly label: string;
  readonly options: readonly { readonly key: Key; readonly label: string }[];
  readonly value: Key;
  readonly onChange: (key: Key) => void;
}

export function Segments<Key extends string>({ label, options, value, onChange }: SegmentsProps<Key>) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex w-fit max-w-full flex-wrap rounded-md border border-line bg-surface-2 p-0.5"
    >
      {options.map(({ key, label: text }) => (
        <label
          key={key}
          className="segment relative flex h-7 items-center rounded px-2.5 text-ink-2 hover:text-ink has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            className="absolute inset-0 cursor-pointer appearance-none opacity-0"
            checked={key === value}
            onChange={() => onChange(key)}
          />
          {text}
        </label>
      ))}
    </div>
  );
}
