// Applications: customers of the organisation who manage their own webhooks in a portal
// (docs/portal.md).
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { List } from '../lists/list.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Page } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import {
  APPLICATIONS,
  applicationsQuery,
  createApplication,
  deleteApplication,
  renameApplication,
  revokePortalLinks,
  type Application,
} from './applications-api.ts';
import { PortalLinkDialog } from './portal-link-dialog.tsx';

const route = getRouteApi('/shell/applications');

type Open = 'create' | { readonly of: Application; readonly act: 'portal' | 'rename' | 'revoke' | 'delete' };

export function ApplicationsPage() {
  const { cursor } = route.useSearch();
  const list = useQuery(applicationsQuery(cursor));
  const [open, setOpen] = useState<Open | null>(null);
  const { can } = usePermissions('voice-api');
  const close = () => setOpen(null);
  const act = (name: Exclude<Open, string>['act']) => (of: Application) => setOpen({ of, act: name });
  const create = can('write') && (
    <Button kind="primary" icon="plus" onClick={() => setOpen('create')}>
      Create application
    </Button>
  );
  return (
    <Page title="Applications" actions={create}>
      <List
        label="Applications"
        service="voice-api"
        columns={COLUMNS}
        rowId={({ id }) => id}
        nameOf={({ name }) => name}
        list={list}
        actions={[
          { verb: 'Open portal', scope: 'write', run: act('portal') },
          { verb: 'Rename', scope: 'write', run: act('rename') },
          { verb: 'Revoke links', scope: 'delete', run: act('revoke') },
          { verb: 'Delete', scope: 'delete', run: act('delete') },
        ]}
        empty={{
          icon: 'people',
          title: 'No applications yet',
          children:
            'An application is a customer of yours with webhooks of its own. A portal link lets the customer manage them. Create an application to get a link.',
        }}
      />
      {open === 'create' && <CreateApplication onClose={close} />}
      {open !== null && open !== 'create' && <Opened open={open} onClose={close} />}
    </Page>
  );
}

const COLUMNS: Columns<Application> = {
  name: { head: 'Name', place: 'name', className: 'font-medium break-words', cell: ({ name }) => name },
  id: { head: 'Id', cell: ({ id }) => <code className="font-mono text-xs break-all">{id}</code> },
  webhooks: {
    head: 'Webhooks',
    cell: ({ id, name }) => (
      <Link
        to="/webhooks"
        search={{ application: id }}
        className={rowLink}
        aria-label={`Show webhooks of ${name}`}
      >
        Show webhooks
      </Link>
    ),
  },
  created: { head: 'Created', minor: true, cell: ({ created_at: at }) => <Time at={at} /> },
};

function Opened({ open: { of, act }, onClose }: { open: Exclude<Open, string>; onClose: () => void }) {
  switch (act) {
    case 'portal':
      return <PortalLinkDialog application={of} onClose={onClose} />;
    case 'rename':
      return <RenameApplication application={of} onClose={onClose} />;
    case 'revoke':
      return <RevokeLinks application={of} onClose={onClose} />;
    case 'delete':
      return <DeleteApplication application={of} onClose={onClose} />;
  }
}

function CreateApplication({ onClose }: { onClose: () => void }) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const create = useAction(() => createApplication(id.trim(), name), {
    says: `${name} is created`,
    reloads: APPLICATIONS,
    then: onClose,
  });
  return (
    <FormDialog
      title="Create application"
      verb="Create application"
      mutation={create}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label="Id"
        hint="Yours, such as the id of the customer in your database. Conversations name it in metadata.application_id. It cannot be changed later."
        name="application_id"
        required
        maxLength={255}
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <NameField value={name} onChange={setName} />
    </FormDialog>
  );
}

function NameField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <TextField
      label="Name"
      name="name"
      required
      maxLength={255}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface DialogProps {
  readonly application: Application;
  readonly onClose: () => void;
}

function RenameApplication({ application, onClose }: DialogProps) {
  const [name, setName] = useState(application.name);
  const rename = useAction(() => renameApplication(application.id, name), {
    says: `Renamed to ${name}`,
    reloads: APPLICATIONS,
    then: onClose,
  });
  return (
    <FormDialog
      title={`Rename ${application.name}`}
      verb="Rename application"
      mutation={rename}
      onClose={onClose}
      onSubmit={() => rename.mutate()}
    >
      <NameField value={name} onChange={setName} />
    </FormDialog>
  );
}

function RevokeLinks({ application: { id, name }, onClose }: DialogProps) {
  const revoke = useAction(() => revokePortalLinks(id), {
    says: `All portal links of ${name} are revoked`,
    reloads: APPLICATIONS,
    then: onClose,
  });
  return (
    <Confirm
      title={`Revoke all portal links of ${name}?`}
      open
      onClose={onClose}
      verb="Revoke links"
      mutation={revoke}
      onConfirm={() => revoke.mutate()}
    >
      <p>Open portals of this application end immediately. Its webhooks still receive events.</p>
    </Confirm>
  );
}

function DeleteApplication({ application: { id, name }, onClose }: DialogProps) {
  const remove = useAction(() => deleteApplication(id), {
    says: `${name} is deleted`,
    reloads: APPLICATIONS,
    then: onClose,
  });
  return (
    <Confirm
      title={`Delete ${name}?`}
      open
      onClose={onClose}
      verb="Delete application"
      mutation={remove}
      onConfirm={() => remove.mutate()}
    >
      <p>Its webhooks and their delivery logs are deleted, and its portal links end. You cannot undo this.</p>
    </Confirm>
  );
}
