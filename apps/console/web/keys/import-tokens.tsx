// Import tokens of the voice API: addresses that vendors post their reports to.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '@parley/sdk/voice-api';
import { readBody, readData, voiceApi } from '../api/clients.ts';
import { List } from '../lists/list.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Select, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type ImportToken = components['schemas']['ImportToken'];
type Vendor = ImportToken['source'];

const VENDORS: Readonly<Record<Vendor, string>> = {
  vapi: 'Vapi',
  retell: 'Retell',
  elevenlabs: 'ElevenLabs',
  livekit: 'LiveKit',
};
/** What each vendor proves its reports with. */
const SECRETS: Readonly<Record<Vendor, string>> = {
  vapi: 'The x-vapi-secret of the server, or the key of an HMAC credential',
  retell: 'The API key that has the webhook badge',
  elevenlabs: 'The secret of the post-call webhook',
  livekit: 'The API secret of the key that signs the webhooks',
};
const QUERY = ['import-tokens'];
/** An organisation has at most 50. */
const ALL = { params: { query: { limit: 100 } } };

export function ImportTokens() {
  const [dialog, setDialog] = useState<'create' | ImportToken | null>(null);
  const tokens = useQuery({
    queryKey: QUERY,
    queryFn: () => readData(voiceApi.GET('/v1/import-tokens', ALL)),
  });
  return (
    <section aria-labelledby="import-tokens" className="mt-8 flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h2 id="import-tokens" className="text-base font-semibold">
          Import tokens
        </h2>
        <Button icon="plus" onClick={() => setDialog('create')}>
          Create import token
        </Button>
      </div>
      <List
        label="Import tokens"
        service="voice-api"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={{ ...tokens, data: tokens.data && { items: tokens.data.items } }}
        nameOf={({ name }) => `import token ${name}`}
        actions={[{ verb: 'Revoke', scope: 'admin', run: setDialog }]}
        empty={{
          icon: 'keys',
          title: 'No import tokens yet',
          children:
            'Vapi, Retell, ElevenLabs and LiveKit can post reports of calls themselves, to an address that contains an import token. Create one to get an address.',
        }}
        bare
      />
      {dialog === 'create' && <CreateImportToken onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== 'create' && (
        <RevokeImportToken value={dialog} onClose={() => setDialog(null)} />
      )}
    </section>
  );
}

const COLUMNS: Columns<ImportToken> = {
  name: {
    head: 'Name',
    place: 'name',
    className: 'font-medium break-words md:min-w-24',
    cell: ({ display, created_by: by, name }) => <span title={`${display}, by ${by}`}>{name}</span>,
  },
  vendor: { head: 'Vendor', cell: ({ source }) => VENDORS[source] },
  signature: {
    head: 'Signature',
    minor: true,
    cell: ({ has_secret: hasSecret }) => (hasSecret ? 'checked' : 'not checked'),
  },
  used: {
    head: 'Last used',
    cell: ({ last_used_at: at }) =>
      at === null ? <span className="text-ink-2">never</span> : <Time at={at} />,
  },
};

export function CreateImportToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [source, setSource] = useState<Vendor>('vapi');
  const [secret, setSecret] = useState('');
  const create = useAction(
    () =>
      readData(
        voiceApi.POST('/v1/import-tokens', { body: { name, source, ...(secret === '' ? {} : { secret }) } }),
      ),
    { says: 'Import token created', isShown: true, reloads: QUERY },
  );
  const title = 'New import token';
  if (create.data)
    return <SecretDialog title={title} noun="the path" secret={create.data.path} onDone={onClose} />;
  return (
    <FormDialog
      title={title}
      verb="Create import token"
      mutation={create}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <p>
        The vendor posts its reports to the address of the voice API, followed by the path that the next step
        shows.
      </p>
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Select label="Vendor" value={source} onChange={(event) => setSource(event.target.value as Vendor)}>
        {Object.entries(VENDORS).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      <TextField
        label="Secret"
        hint={`${SECRETS[source]}. Empty: reports are accepted without a signature`}
        type="password"
        autoComplete="off"
        maxLength={512}
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
    </FormDialog>
  );
}

function RevokeImportToken({ value, onClose }: { value: ImportToken; onClose: () => void }) {
  const revoke = useAction(
    () =>
      readBody(
        voiceApi.DELETE('/v1/import-tokens/{import_token_id}', {
          params: { path: { import_token_id: value.id } },
        }),
      ),
    { says: `${value.name} is revoked`, reloads: QUERY, then: onClose },
  );
  return (
    <Confirm
      title={`Revoke ${value.name}?`}
      open
      onClose={onClose}
      verb="Revoke import token"
      mutation={revoke}
      onConfirm={() => revoke.mutate()}
    >
      <p>Reports of {VENDORS[value.source]} to this address are refused immediately. You cannot undo this.</p>
    </Confirm>
  );
}
