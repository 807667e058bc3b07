// Chooses, adds and removes the languages of a template. Sends fall back to the default language.
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { withLanguage, withoutLanguage, type Draft } from './words.rules.ts';

const route = getRouteApi('/shell/notifications/templates/$templateId');

const LOCALE = '[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}';

interface LanguagesProps {
  readonly draft: Draft;
  readonly open: string;
  readonly onChange: (draft: Draft) => void;
}

export function Languages({ draft, open, onChange }: LanguagesProps) {
  const navigate = route.useNavigate();
  const [adding, setAdding] = useState(false);
  const show = (language: string) => void navigate({ search: (was) => ({ ...was, language }) });
  const isUsual = open === draft.default_locale;
  return (
    <div className="flex flex-wrap items-end gap-2">
      <label className="flex flex-col gap-1">
        <span className="font-medium">Language</span>
        <select
          value={open}
          onChange={(event) => show(event.target.value)}
          className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm"
        >
          {draft.locales.map(({ locale }) => (
            <option key={locale} value={locale}>
              {locale}
              {locale === draft.default_locale && ' (default)'}
            </option>
          ))}
        </select>
      </label>
      <Button icon="plus" onClick={() => setAdding(true)}>
        Add language
      </Button>
      {!isUsual && (
        <>
          <Button kind="quiet" onClick={() => onChange({ ...draft, default_locale: open })}>
            Make default
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              onChange(withoutLanguage(draft, open));
              show(draft.default_locale);
            }}
          >
            Remove {open}
          </Button>
        </>
      )}
      {adding && (
        <AddLanguage
          draft={draft}
          onClose={() => setAdding(false)}
          onAdd={(locale) => {
            onChange(withLanguage(draft, locale));
            setAdding(false);
            show(locale);
          }}
        />
      )}
    </div>
  );
}

interface AddLanguageProps {
  readonly draft: Draft;
  readonly onClose: () => void;
  readonly onAdd: (locale: string) => void;
}

function AddLanguage({ draft, onClose, onAdd }: AddLanguageProps) {
  const [locale, setLocale] = useState('');
  const isThere = draft.locales.some((one) => one.locale.toLowerCase() === locale.trim().toLowerCase());
  return (
    <FormDialog
      title="Add language"
      verb="Add language"
      disabled={isThere}
      onClose={onClose}
      onSubmit={() => {
        if (!isThere) onAdd(locale.trim());
      }}
    >
      <TextField
        label="Language"
        hint="For example de, or de-AT for Austria. It starts as a copy of the default language"
        error={isThere ? 'The template already has this language.' : undefined}
        required
        pattern={LOCALE}
        value={locale}
        onChange={(event) => setLocale(event.target.value)}
      />
    </FormDialog>
  );
}
