// A text area for templates, with completions of variables and filters.
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { completionsAt, type Completions } from './completion.ts';
import { Field, INPUT, type ControlProps } from '../controls/controls.tsx';

export function TemplateControl({
  value,
  onChange,
  variables,
  ...field
}: ControlProps<unknown> & {
  readonly variables: readonly string[];
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [offered, setOffered] = useState<Completions | null>(null);
  const [chosen, setChosen] = useState(0);
  const text = typeof value === 'string' ? value : '';

  function look(now: string, caret: number) {
    setOffered(completionsAt(now, caret, variables));
    setChosen(0);
  }

  function accept(insert: string) {
    const element = area.current;
    if (element === null || offered === null) return;
    const changed = text.slice(0, offered.from) + insert + text.slice(element.selectionStart);
    const caret = offered.from + insert.length;
    onChange(changed);
    setOffered(null);
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(caret, caret);
    });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (offered === null) return;
    const { options } = offered;
    if (event.key === 'ArrowDown') setChosen((chosen + 1) % options.length);
    else if (event.key === 'ArrowUp') setChosen((chosen + options.length - 1) % options.length);
    else if (event.key === 'Enter' || event.key === 'Tab') accept(options[chosen]!.insert);
    else if (event.key === 'Escape') setOffered(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div className="relative">
      <Field {...field}>
        {(ids) => (
          <textarea
            {...ids}
            ref={area}
            rows={2}
            className={`${INPUT} field-sizing-content max-h-64 min-h-12 resize-none py-1 leading-snug`}
            aria-autocomplete="list"
            aria-controls={offered === null ? undefined : listId}
            aria-activedescendant={offered === null ? undefined : `${listId}-${chosen}`}
            value={text}
            onChange={(event) => {
              onChange(event.target.value === '' ? undefined : event.target.value);
              look(event.target.value, event.target.selectionStart);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => setOffered(null)}
          />
        )}
      </Field>
      {offered !== null && (
        <div
          id={listId}
          role="listbox"
          aria-label="Completions"
          className="absolute z-20 max-h-56 w-full overflow-y-auto rounded-md border border-line bg-surface py-1 shadow-lg"
        >
          {offered.options.map(({ insert, detail }, at) => (
            <div
              key={insert}
              id={`${listId}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === chosen}
              className="flex gap-2 px-2 py-0.5 aria-selected:bg-accent-soft"
              onPointerDown={(event) => {
                event.preventDefault(); // keeps the focus and the caret
                accept(insert);
              }}
            >
              <code className="font-mono text-xs">{insert}</code>
              <span className="truncate text-xs text-ink-2">{detail}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
