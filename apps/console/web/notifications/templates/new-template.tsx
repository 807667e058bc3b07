// A template begins with its id and what it says in one language; the rest is written in the editor.
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/page.tsx';
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <Dialog title="New template" open onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
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
        {create.error && <Problem error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
