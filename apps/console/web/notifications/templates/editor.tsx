// Edits the texts of a template by language and channel. Saving creates a version.
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { May } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { toMessage, Problem } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { channelLabel } from '../channels.ts';
import { saveTemplate, TEMPLATES } from './api.ts';
import { HtmlField } from './html-field.tsx';
import { Languages } from './languages.tsx';
import { ShowPlace } from './show-place.tsx';
import {
  fieldsOf,
  isChanged,
  PARTS,
  placeOf,
  requestOf,
  saysItsOwn,
  textOf,
  withText,
  withWords,
  type Draft,
  type Field,
  type Part,
  type Template,
  type Words,
} from './words.rules.ts';

const route = getRouteApi('/shell/notifications/templates/$templateId');

interface EditorProps {
  readonly template: Template;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

export function Editor({ template, draft, onChange: setDraft }: EditorProps) {
  const navigate = route.useNavigate();
  const { version, language, channel } = route.useSearch();
  // Naming another version would ask whether to discard the changes.
  const open = { version, language };
  const changed = isChanged(draft, template);
  const save = useAction(() => saveTemplate(template.template_id, requestOf(draft, false)), {
    says: ({ version }) => `Saved as version ${version}`,
    reloads: TEMPLATES,
    then: ({ version }) => navigate({ search: (was) => ({ ...was, version }), ignoreBlocker: true }),
  });
  useBlocker({
    disabled: !changed,
    enableBeforeUnload: changed,
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || versionOf(current.search) !== versionOf(next.search)) &&
      !window.confirm('You have unsaved changes. Leave the page and discard them?'),
  });
  const words =
    draft.locales.find(({ locale }) => locale === language) ??
    draft.locales.find(({ locale }) => locale === draft.default_locale) ??
    draft.locales[0]!;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const place = save.error && placeOf(toMessage(save.error), draft);
  return (
    <form aria-label="Content" className="flex min-w-0 flex-col gap-4" onSubmit={submit}>
      <Languages draft={draft} open={words.locale} onChange={setDraft} />
      <Tabs
        label="Channels"
        current={channel ?? 'all'}
        tabs={[
          { key: 'all', label: 'All channels', search: { ...open } },
          ...PARTS.map((part) => ({
            key: part,
            label: `${channelLabel(part)}${saysItsOwn(words, part) ? ' ●' : ''}`,
            search: { ...open, channel: part },
          })),
        ]}
      />
      {channel !== undefined && (
        <p className="text-xs text-ink-2">
          {saysItsOwn(words, channel)
            ? 'Empty fields use the text of all channels.'
            : 'This channel uses the text of all channels until you enter its own.'}
        </p>
      )}
      {fieldsOf(channel).map((field) => (
        <TextOf
          key={`${words.locale} ${channel} ${field.name}`}
          field={field}
          words={words}
          part={channel}
          onChange={(next) => setDraft(withWords(draft, next))}
        />
      ))}
      {save.error && <Problem error={save.error} />}
      {place && <ShowPlace place={place} />}
      <May service="notifications" scope="write">
        {' '}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            kind="primary"
            type="submit"
            busy={save.isPending}
            disabled={!changed || draft.locales.some(({ message }) => message === '')}
          >
            Save version
          </Button>
          <Button kind="quiet" disabled={!changed} onClick={() => setDraft(template)}>
            Discard changes
          </Button>
          <p className="text-xs text-ink-2">
            {changed
              ? `Saving creates version ${template.latest_version + 1}. Publish it to send it.`
              : 'No changes.'}
          </p>
        </div>
      </May>
    </form>
  );
}

const versionOf = (search: object) => ('version' in search ? search.version : undefined);

interface TextOfProps {
  readonly field: Field;
  readonly words: Words;
  readonly part: Part | undefined;
  readonly onChange: (words: Words) => void;
}

function TextOf({ field: { name, label, kind }, words, part, onChange }: TextOfProps) {
  const value = textOf(words, part, name);
  const change = (text: string) => onChange(withText(words, part, name, text));
  // The text of all channels is the placeholder of a field of the same kind.
  const usual = part === undefined ? '' : kind === 'line' ? words.subject : words.message;
  if (kind === 'line')
    return (
      <TextField
        label={label}
        maxLength={2000}
        placeholder={name === 'from' ? 'The default sender' : usual}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    );
  if (kind === 'html') return <HtmlField html={value} onChange={change} />;
  return (
    <TextArea
      label={label}
      required={part === undefined}
      rows={6}
      maxLength={20_000}
      placeholder={usual}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}
