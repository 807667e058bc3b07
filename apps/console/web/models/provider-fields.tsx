// The fields of one provider: who it is, its address, its key, and a model for each use.
import { Checkbox, Select, TextField } from '../ui/field.tsx';
import type { ProviderKind } from './api.ts';
import { PROVIDERS, type AccountForm, type ProviderForm } from './form.rules.ts';

export const KINDS = Object.entries(PROVIDERS) as [ProviderKind, (typeof PROVIDERS)[ProviderKind]][];

/** The uses of a model, in the words of a person who builds flows. */
export const USES = {
  classifier: { label: 'Decisions', hint: 'Chooses a branch whose condition is a sentence' },
  extractor: { label: 'Answers', hint: 'Finds values in what callers say. Empty: off' },
  agent: { label: 'AI agents', hint: 'Talks where a flow has an AI agent. Empty: your software runs it' },
} as const;

interface ProviderFieldsProps {
  /** The member of the request. */
  readonly member: 'provider' | 'fallback';
  readonly label: string;
  readonly hint: string;
  /** The choice of no provider. */
  readonly none: string;
  readonly hasKey: boolean;
  readonly value: ProviderForm;
  readonly onChange: (value: ProviderForm) => void;
}

export function ProviderFields({ member, label, hint, none, hasKey, value, onChange }: ProviderFieldsProps) {
  const put = (patch: Partial<ProviderForm>) => onChange({ ...value, ...patch });
  const { kind } = value;
  return (
    <>
      <Select
        label={label}
        hint={hint}
        value={kind}
        onChange={({ target }) => put({ kind: target.value as ProviderForm['kind'], url: '' })}
      >
        <option value="">{none}</option>
        {KINDS.map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </Select>
      {kind !== '' && (
        <>
          <Address member={member} kind={kind} value={value.url} onChange={(url) => put({ url })} />
          <Key member={member} hasKey={hasKey} value={value} put={put} />
          <fieldset>
            <legend className="mb-1 font-medium">
              {kind === 'azure_openai' ? 'Deployment for each use' : 'Model for each use'}
            </legend>
            <div className="grid gap-4 sm:grid-cols-3">
              {(['classifier', 'extractor', 'agent'] as const).map((use) => (
                <TextField
                  key={use}
                  label={USES[use].label}
                  hint={USES[use].hint}
                  name={`${member}/models/${use}`}
                  required={use === 'classifier'}
                  maxLength={200}
                  placeholder={use === 'classifier' ? PROVIDERS[kind].example : undefined}
                  spellCheck={false}
                  value={value[use]}
                  onChange={({ target }) => put({ [use]: target.value })}
                />
              ))}
            </div>
          </fieldset>
        </>
      )}
    </>
  );
}

interface AddressProps {
  readonly member: string;
  readonly kind: ProviderKind;
  readonly value: string;
  readonly onChange: (url: string) => void;
}

export function Address({ member, kind, value, onChange }: AddressProps) {
  const { name, url } = PROVIDERS[kind];
  return (
    <TextField
      label="Base URL"
      name={`${member}/url`}
      type="url"
      required={url === null}
      hint={
        url === null
          ? 'The address of the API, up to and including /v1. Public and https://, unless your operator allows another one'
          : `Empty: ${name}’s own address`
      }
      placeholder={url ?? 'https://models.example.com/v1'}
      maxLength={2048}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

interface KeyProps {
  readonly member: string;
  readonly hasKey: boolean;
  readonly value: AccountForm;
  readonly put: (patch: Partial<AccountForm>) => void;
}

export function Key({ member, hasKey, value: { key, removesKey }, put }: KeyProps) {
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="API key"
        name={`${member}/key`}
        type="password"
        autoComplete="new-password"
        disabled={removesKey}
        hint={
          hasKey
            ? 'A key is stored. Leave empty to keep it, or enter a new one'
            : 'From your account at the provider. Parley encrypts it and never shows it again'
        }
        maxLength={4096}
        value={key}
        onChange={({ target }) => put({ key: target.value })}
      />
      {hasKey && (
        <Checkbox
          label="Remove the stored key"
          checked={removesKey}
          onChange={({ target }) => put({ removesKey: target.checked, key: '' })}
        />
      )}
    </div>
  );
}
