// Creates a template with its id and the message in one language.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../ui/action.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { createTemplate, TEMPLATES } from './api.ts';
import { IdField } from '../id-field.tsx';

export function NewTemplate({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [locale, setLocale] = useState('en');
  const [message, setMessage] = useState('');
  const create = useAction(
    () =>
      createTemplate(id, {
        default_locale: locale.trim(),
        locales: [{ locale: locale.trim(), message }],
        publish: false,
      }),
    {
      says: `Template ${id} created`,
      reloads: TEMPLATES,
      then: () => navigate({ to: '/notifications/templates/$templateId', params: { templateId: id } }),
    },
  );
  return (
    <FormDialog
      title="Create template"
      verb="Create template"
      mutation={create}
      onClose={onClose}
      onSubmit={() => create.mutate(undefined)}
    >
      <IdField noun="template" value={id} onChange={setId} />
      <TextField
        label="Language"
        hint="The default language, for example en or pt-BR"
        required
        maxLength={35}
        value={locale}
        onChange={(event) => setLocale(event.target.value)}
      />
      <TextArea
        label="Message"
        hint="For all channels, until one has its own text. {{ name }} is replaced by data of the send"
        required
        rows={4}
        maxLength={20_000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
    </FormDialog>
  );
}
