// The content of a notification: a text, or a template with data.
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { templateQuery, templatesQuery } from '../templates/api.ts';
import { DataFields } from '../templates/data-fields.tsx';
import { variablesIn } from '../templates/variables.rules.ts';
import { sourcesOf } from '../templates/words.rules.ts';
import type { Draft } from './draft.rules.ts';
import type { DraftFieldsProps } from './whom-fields.tsx';

export function WordsFields({ draft, onChange }: DraftFieldsProps) {
  return (
    <>
      <Select
        label="Content"
        value={draft.says}
        onChange={(event) => onChange({ says: event.target.value as Draft['says'] })}
      >
        <option value="words">Text</option>
        <option value="template">Template</option>
      </Select>
      {draft.says === 'template' ? (
        <TemplateFields draft={draft} onChange={onChange} />
      ) : (
        <>
          <TextField
            label="Subject"
            hint="Empty: the first words of the message"
            maxLength={255}
            value={draft.subject}
            onChange={(event) => onChange({ subject: event.target.value })}
          />
          <TextArea
            label="Message"
            required
            rows={5}
            maxLength={10_000}
            value={draft.message}
            onChange={(event) => onChange({ message: event.target.value })}
          />
        </>
      )}
    </>
  );
}

/** Number of suggested ids; people can type any other. */
const OFFERED = 100;

function TemplateFields({ draft, onChange }: DraftFieldsProps) {
  const ids = useId();
  const known = useQuery(templatesQuery({ limit: OFFERED }));
  const isKnown = known.data?.items.some(({ template_id: id }) => id === draft.templateId) ?? false;
  const version = draft.templateVersion === '' ? undefined : Number(draft.templateVersion);
  const { data: template } = useQuery({ ...templateQuery(draft.templateId, version), enabled: isKnown });
  const variables = useMemo(() => template && variablesIn(sourcesOf(template)), [template]);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[1fr_7rem_7rem]">
        <TextField
          label="Template"
          required
          list={ids}
          maxLength={64}
          value={draft.templateId}
          onChange={(event) => onChange({ templateId: event.target.value })}
        />
        <datalist id={ids}>
          {known.data?.items.map(({ template_id: id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <TextField
          label="Version"
          type="number"
          min={1}
          placeholder="published"
          value={draft.templateVersion}
          onChange={(event) => onChange({ templateVersion: event.target.value })}
        />
        <TextField
          label="Language"
          maxLength={35}
          placeholder="recipient’s"
          value={draft.language}
          onChange={(event) => onChange({ language: event.target.value })}
        />
      </div>
      <DataFields
        variables={variables}
        json={draft.data}
        hint="What the template inserts in this notification."
        onChange={(data) => onChange({ data })}
      />
    </>
  );
}
