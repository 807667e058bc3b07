// Accounts that single flows name, each with its provider, key and models.
import { useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { Select, TextArea, TextField } from '../ui/field.tsx';
import type { ModelSettings, ProviderKind } from './api.ts';
import { newFlowProvider, PROVIDERS, type FlowProviderForm } from './form.rules.ts';
import { Address, Key, KINDS } from './provider-fields.tsx';

/** Limit of the service. */
const PROVIDERS_MAX = 10;

interface FlowProvidersProps {
  readonly stored: ModelSettings['flow_providers'];
  readonly value: readonly FlowProviderForm[];
  readonly onChange: (value: readonly FlowProviderForm[]) => void;
}

export function FlowProviders({ stored, value, onChange }: FlowProvidersProps) {
  const add = useRef<HTMLButtonElement>(null);
  const change = (place: number, patch: Partial<FlowProviderForm>) =>
    onChange(value.map((one, at) => (at === place ? { ...one, ...patch } : one)));
  const remove = (place: number) => {
    onChange(value.filter((_, at) => at !== place));
    add.current?.focus(); // the fields are gone, and focus with them
  };
  return (
    <>
      {value.map((one, place) => (
        <fieldset key={place} className="flex flex-col gap-4 rounded-md border border-line p-4">
          <legend className="px-1 font-medium">{one.name || 'New account'}</legend>
          <Fields
            value={one}
            isTaken={value.some(({ name }, at) => at !== place && name === one.name)}
            hasKey={stored[one.name]?.has_key ?? false}
            onChange={(patch) => change(place, patch)}
          />
          <Button className="self-start" onClick={() => remove(place)}>
            Remove account
          </Button>
        </fieldset>
      ))}
      {value.length < PROVIDERS_MAX && (
        <Button
          ref={add}
          className="self-start"
          icon="plus"
          onClick={() => onChange([...value, newFlowProvider])}
        >
          Add account
        </Button>
      )}
    </>
  );
}

const TAKEN = 'Another account has this name';

interface FieldsProps {
  readonly value: FlowProviderForm;
  /** Another account has the name. */
  readonly isTaken: boolean;
  readonly hasKey: boolean;
  readonly onChange: (patch: Partial<FlowProviderForm>) => void;
}

function Fields({ value, isTaken, hasKey, onChange }: FieldsProps) {
  const { name, kind, models } = value;
  const member = `flow_providers/${name}`;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          ref={(input) => input?.setCustomValidity(isTaken ? TAKEN : '')}
          label="Name"
          error={isTaken ? TAKEN : undefined}
          hint="Small letters, digits, - and _. Flows write it before the model"
          required
          maxLength={40}
          pattern="[a-z0-9][a-z0-9_\-]*"
          spellCheck={false}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <Select
          label="Provider of the account"
          value={kind}
          onChange={({ target }) => onChange({ kind: target.value as ProviderKind, url: '' })}
        >
          {KINDS.map(([key, { name: label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      <Address member={member} kind={kind} value={value.url} onChange={(url) => onChange({ url })} />
      <Key member={member} hasKey={hasKey} value={value} put={onChange} />
      <TextArea
        label="Models"
        name={`${member}/models`}
        hint={`One in each line. In a flow: ${name || 'name'}/${models.split('\n')[0] || PROVIDERS[kind].example}`}
        required
        rows={2}
        spellCheck={false}
        placeholder={PROVIDERS[kind].example}
        value={models}
        onChange={({ target }) => onChange({ models: target.value })}
      />
    </>
  );
}
