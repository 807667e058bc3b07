// Dialogs that create, rotate and revoke a key.
import { useState } from 'react';
import type { Service } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { useAction } from '../ui/action.ts';
import { Confirm } from '../ui/dialog.tsx';
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { RotateDialog } from '../ui/rotate-dialog.tsx';
import { keyApi, type Key, type KeyScope } from './api.ts';

const SCOPES: readonly (readonly [KeyScope, string])[] = [
  ['read', 'Read everything, change nothing'],
  ['write', 'Create and change'],
  ['delete', 'Delete'],
  ['admin', 'All of these, and manage keys, read the audit log and purge data'],
  ['pii', 'See whole texts where transcripts are redacted'],
];
const DAY_MS = 86_400_000;
const LIFETIMES = {
  '': 'Never',
  '1': 'In one day',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In one year',
};

interface DialogProps {
  readonly service: Service;
  readonly onClose: () => void;
}

/** Splits at whitespace and commas, and drops duplicates. */
const splitList = (text: string) => [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))];

export function CreateKey({ service, onClose }: DialogProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['read']);
  const [days, setDays] = useState('');
  const [from, setFrom] = useState('');
  const [bots, setBots] = useState('');
  const create = useAction(keyApi[service].create, {
    says: 'Key created',
    isShown: true,
    reloads: [['keys', service]],
  });
  const submit = () => {
    const expiresAtMs = days === '' ? null : Date.now() + Number(days) * DAY_MS;
    create.mutate({
      name,
      scopes: [...scopes],
      expiresAtMs,
      allowedIps: splitList(from),
      botIds: splitList(bots),
    });
  };
  const title = `New key for the ${SERVICE_LABELS[service]}`;
  if (create.data)
    return <SecretDialog title={title} noun="the key" secret={create.data.key} onDone={onClose} />;
  return (
    <FormDialog
      title={title}
      verb="Create key"
      mutation={create}
      disabled={scopes.length === 0}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        name="name"
        hint="What the key is for and where it is stored"
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Scopes</legend>
        {SCOPES.map(([scope, words]) => (
          <Checkbox
            key={scope}
            label={scope}
            hint={words}
            checked={scopes.includes(scope)}
            onChange={(event) =>
              setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
            }
          />
        ))}
      </fieldset>
      <Select label="Expires" value={days} onChange={(event) => setDays(event.target.value)}>
        {Object.entries(LIFETIMES).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      <TextArea
        label="Allowed IP addresses"
        name="allowed_ips"
        hint="One address or CIDR block per line. Empty: any address"
        placeholder="203.0.113.0/24"
        className="font-mono text-xs"
        spellCheck={false}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
      {service === 'voice-api' && (
        <TextArea
          label="Agents"
          name="bot_ids"
          hint="One agent id per line. The key can access only what belongs to these agents. Empty: everything"
          placeholder="bot_…"
          className="font-mono text-xs"
          spellCheck={false}
          value={bots}
          onChange={(event) => setBots(event.target.value)}
        />
      )}
    </FormDialog>
  );
}

export function RotateKey({ service, value, onClose }: DialogProps & { value: Key }) {
  const rotate = useAction((seconds: number) => keyApi[service].rotate(value.id, seconds), {
    says: 'Key rotated',
    isShown: true,
    reloads: [['keys', service]],
  });
  return (
    <RotateDialog
      title={`Rotate ${value.name}`}
      noun="key"
      explanation="Creates a new key with the same name and scopes. Both keys work until the old one expires."
      mutation={rotate}
      secret={rotate.data?.key}
      onClose={onClose}
    />
  );
}

export function RevokeKey({ service, value, onClose }: DialogProps & { value: Key }) {
  const revoke = useAction(() => keyApi[service].revoke(value.id), {
    says: `${value.name} is revoked`,
    reloads: [['keys', service]],
    then: onClose,
  });
  return (
    <Confirm
      title={`Revoke ${value.name}?`}
      open
      onClose={onClose}
      verb="Revoke key"
      mutation={revoke}
      onConfirm={() => revoke.mutate(undefined)}
    >
      <p>
        Requests with <code className="font-mono text-xs">{value.display}</code> fail within a second. You
        cannot undo this.
      </p>
    </Confirm>
  );
}
