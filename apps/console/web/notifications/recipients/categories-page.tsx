// The categories, which recipients switch on and off.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { List } from '../../lists/list.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import type { Columns } from '../../ui/table.tsx';
import { categoriesQuery } from '../api.ts';
import { DeleteDialog } from '../delete-dialog.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { IdField } from '../id-field.tsx';
import { CATEGORIES, deleteCategory, putCategory, type Category } from './api.ts';

export function CategoriesPage() {
  const list = useQuery(categoriesQuery);
  const { can } = usePermissions('notifications');
  const [changing, setChanging] = useState<Category | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Category | null>(null);
  return (
    <Page
      title="Notifications"
      actions={
        can('write') && (
          <Button kind="primary" icon="plus" disabled={!list.data} onClick={() => setChanging('new')}>
            Create category
          </Button>
        )
      }
    >
      <NotificationTabs />
      <List
        label="Categories"
        service="notifications"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={list}
        nameOf={({ name }) => name}
        actions={[
          { verb: 'Edit', scope: 'write', run: setChanging },
          { verb: 'Delete', scope: 'delete', run: setDeleting },
        ]}
        empty={{
          icon: 'notifications',
          title: 'No categories yet',
          children:
            'A category is a kind of notification, for example news. Sends name a category, and recipients can switch its channels off.',
        }}
      />
      {changing !== null && (
        <CategoryDialog
          known={changing === 'new' ? undefined : changing}
          taken={list.data?.items.map(({ id }) => id) ?? []}
          onClose={() => setChanging(null)}
        />
      )}
      {deleting !== null && (
        <DeleteDialog
          name={deleting.name}
          keys={CATEGORIES}
          remove={() => deleteCategory(deleting.id)}
          onClose={() => setDeleting(null)}
        >
          Sends that name this category fail after that.
        </DeleteDialog>
      )}
    </Page>
  );
}

const COLUMNS: Columns<Category> = {
  category: {
    head: 'Category',
    place: 'name',
    cell: ({ name, description }) => (
      <>
        <span className="font-medium">{name}</span>
        <span className="block text-ink-2">{description}</span>
      </>
    ),
  },
  id: { head: 'Id', minor: true, className: 'font-mono text-xs leading-5', cell: ({ id }) => id },
  recipients: {
    head: 'Recipients',
    cell: ({ required, opt_in: optIn }) =>
      required ? <Badge tone="accent">required</Badge> : optIn ? 'opt-in' : 'optional',
  },
};

interface CategoryDialogProps {
  readonly known: Category | undefined;
  /** Ids of existing categories, which saving would overwrite. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

function CategoryDialog({ known, taken, onClose }: CategoryDialogProps) {
  const [id, setId] = useState(known?.id ?? '');
  const [name, setName] = useState(known?.name ?? '');
  const [description, setDescription] = useState(known?.description ?? '');
  const [required, setRequired] = useState(known?.required ?? false);
  const [optIn, setOptIn] = useState(known?.opt_in ?? false);
  const isTaken = known === undefined && taken.includes(id);
  const save = useAction(
    () =>
      putCategory(id, {
        name,
        required,
        opt_in: optIn && !required,
        ...(description.trim() === '' ? {} : { description: description.trim() }),
      }),
    { says: `${name} saved`, reloads: CATEGORIES, then: onClose },
  );
  return (
    <FormDialog
      title={known ? `Edit ${known.name}` : 'Create category'}
      verb="Save category"
      mutation={save}
      onClose={onClose}
      onSubmit={() => {
        if (!isTaken) save.mutate(undefined);
      }}
    >
      {!known && (
        <IdField
          noun="category"
          value={id}
          error={isTaken ? 'This id is taken. Choose another one.' : undefined}
          onChange={setId}
        />
      )}
      <TextField
        label="Name"
        hint="Shown to recipients"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextArea
        label="Description"
        rows={2}
        maxLength={500}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <Checkbox
        label="Required"
        hint="Recipients cannot switch it off; earlier choices are ignored"
        checked={required}
        onChange={(event) => setRequired(event.target.checked)}
      />
      {!required && (
        <Checkbox
          label="Off by default"
          hint="Reaches only recipients who switch it on"
          checked={optIn}
          onChange={(event) => setOptIn(event.target.checked)}
        />
      )}
    </FormDialog>
  );
}
