// A template begins with its id and what it says in one language; the rest is written in the editor.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { createTemplate, TEMPLATES } from './api.ts';
import { useChange } from '../use-change.ts';

export function NewTemplate({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [locale, setLocale] = useState('en');
  const [message, setMessage] = useState('');
  const create = useChange(
    TEMPLATES,
    () =>
      createTemplate(id, {
        default_locale: locale.trim(),
        locales: [{ locale: locale.trim(), message }],
        publish: false,
      }),
    () => void navigate({ to: '/notifications/templates/$templateId', params: { templateId: id } }),
  );
  return (
    <FormDialog
      title="New template"
      verb="Create"
      sending={create}
      onClose={onClose}
      onSubmit={() => create.mutate(undefined)}
    >
      <TextField
        label="Id"
        hint="What sends name it by: letters, digits, . _ and -"
        required
        maxLength={64}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <TextField
        label="Language"
        hint="The one that is taken where there is no better one, such as en or pt-BR"
        required
        maxLength={35}
        value={locale}
        onChange={(event) => setLocale(event.target.value)}
      />
      <TextArea
        label="Message"
        hint="On every channel, until one has words of its own; {{ name }} is filled in with the data of a send"
        required
        rows={4}
        maxLength={20_000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
    </FormDialog>
  );
}
