// The languages of a template: which one is open stands in the address; one is taken where a send asks for none that is there.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { templateRoute } from './routes.tsx';
import { withLanguage, withoutLanguage, type Draft } from './words.rules.ts';

const LOCALE = '[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}';

interface LanguagesProps {
  readonly draft: Draft;
  readonly open: string;
  readonly onChange: (draft: Draft) => void;
}

export function Languages({ draft, open, onChange }: LanguagesProps) {
  const navigate = useNavigate({ from: templateRoute.fullPath });
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
              {locale === draft.default_locale && ', the usual one'}
            </option>
          ))}
        </select>
      </label>
      <Button icon="plus" onClick={() => setAdding(true)}>
        Add a language
      </Button>
      {!isUsual && (
        <>
          <Button kind="quiet" onClick={() => onChange({ ...draft, default_locale: open })}>
            Make it the usual one
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
      title="Add a language"
      verb="Add"
      disabled={isThere}
      onClose={onClose}
      onSubmit={() => {
        if (!isThere) onAdd(locale.trim());
      }}
    >
      <TextField
        label="Language"
        hint="Such as de, or de-AT where Austria differs. It begins with what the usual one says"
        error={isThere ? 'It is there already.' : undefined}
        required
        pattern={LOCALE}
        value={locale}
        onChange={(event) => setLocale(event.target.value)}
      />
    </FormDialog>
  );
}
