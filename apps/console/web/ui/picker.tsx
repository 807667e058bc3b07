// A field that finds one of many by typing a part of its name.
import { Combobox } from '@base-ui/react/combobox';
import { useId, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
}

interface PickerProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  readonly choices: readonly Choice[];
  readonly value: Choice | null;
  readonly onChange: (value: Choice | null) => void;
  /** What was typed, for choices that a service finds. Absent: the picker filters `choices`. */
  readonly onType?: (text: string) => void;
  /** Shown when nothing matches. */
  readonly nothing: string;
  /** Whether the field may be emptied. */
  readonly isOptional?: boolean;
}

const POPUP =
  'max-h-64 w-(--anchor-width) overflow-y-auto rounded-lg border border-line bg-surface p-1 text-ink shadow-lg outline-none';

export function Picker({ label, hint, value, choices, onChange, onType, ...rest }: PickerProps) {
  const { placeholder, nothing, isOptional = false } = rest;
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <Combobox.Root
        items={choices}
        value={value}
        onValueChange={onChange}
        itemToStringLabel={(choice) => choice.label}
        isItemEqualToValue={(one, other) => one.id === other.id}
        autoHighlight
        {...(onType
          ? {
              filter: null,
              onInputValueChange: (text, { reason }) => onType(reason === 'input-change' ? text : ''),
            }
          : {})}
      >
        <div className="relative">
          <Combobox.Input
            id={id}
            placeholder={placeholder}
            aria-describedby={hint === undefined ? undefined : `${id}-hint`}
            className="h-8 w-full rounded-md border border-line-strong bg-surface pr-16 pl-2.5 text-sm text-ink disabled:bg-surface-2 disabled:text-ink-2"
          />
          <span className="absolute inset-y-0 right-0 flex">
            {isOptional && (
              <Combobox.Clear render={<IconButton label={`Clear ${label.toLowerCase()}`} icon="close" />} />
            )}
            <Combobox.Trigger render={<IconButton label={`Show ${label.toLowerCase()}s`} icon="down" />} />
          </span>
        </div>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} className="z-60">
            <Combobox.Popup className={POPUP}>
              <Combobox.Empty className="px-2 text-ink-2 not-empty:py-1.5">{nothing}</Combobox.Empty>
              <Combobox.List>{(choice: Choice) => <Option key={choice.id} choice={choice} />}</Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-ink-2">
          {hint}
        </p>
      )}
    </div>
  );
}

function Option({ choice }: { choice: Choice }) {
  return (
    <Combobox.Item
      value={choice}
      className="flex min-h-8 items-center gap-2 rounded-md px-2 py-1 data-highlighted:bg-surface-3"
    >
      <span className="min-w-0 flex-1 truncate" dir="auto">
        {choice.label}
      </span>
      {choice.detail !== undefined && <span className="shrink-0 text-xs text-ink-2">{choice.detail}</span>}
      <Combobox.ItemIndicator>
        <Icon name="check" className="text-accent" />
      </Combobox.ItemIndicator>
    </Combobox.Item>
  );
}
