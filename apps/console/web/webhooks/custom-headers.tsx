// Custom headers of a webhook. The API returns no plain values, so people either keep all headers
// or enter all again.
import { useState } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { WEBHOOKS, changeWebhook, type Webhook } from './api.ts';
import { findWrongName, parseHeaders, toHeaderRows, toHeaderText, type HeaderRow } from './headers.rules.ts';

/** Joins the values of a repeated header. */
export const toHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parseHeaders(text)).map(([name, value]) => [name, [value].flat().join(', ')]),
  );

interface HeadersFieldProps {
  /** One `name: value` per line. */
  readonly value: string;
  readonly error?: string | undefined;
  /** The title is around it. */
  readonly isTitled?: boolean;
  readonly onChange: (text: string) => void;
}

/** A row for each header. Lines that are pasted into a name become rows. */
export function HeadersField({ value, error, isTitled = false, onChange }: HeadersFieldProps) {
  const rows = toHeaderRows(value);
  const put = (at: number, ...now: readonly HeaderRow[]) =>
    onChange(toHeaderText(rows.toSpliced(at, 1, ...now)));
  const wrong = findWrongName(value);
  const problem = wrong === undefined ? error : `A header cannot be called “${wrong}”.`;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className={isTitled ? 'sr-only' : 'mb-1 font-medium'}>Headers</legend>
      <ul className="flex flex-col gap-2 empty:hidden">
        {rows.map((row, at) => (
          <li key={at} className="flex items-start gap-2 *:flex-1 *:last:flex-none">
            <TextField
              label={<span className="sr-only">Name of header {at + 1}</span>}
              className="font-mono text-xs"
              placeholder="x-tenant"
              value={row.name}
              onChange={({ target }) => put(at, { ...row, name: target.value })}
              onPaste={(event) => {
                const pasted = event.clipboardData.getData('text').trim();
                if (!pasted.includes(':')) return;
                event.preventDefault();
                put(at, ...toHeaderRows(pasted));
              }}
            />
            <TextField
              label={<span className="sr-only">Value of header {at + 1}</span>}
              name={`headers/${row.name.toLowerCase()}`}
              className="font-mono text-xs"
              placeholder="acme"
              value={row.value}
              onChange={({ target }) => put(at, { ...row, value: target.value })}
            />
            <IconButton
              label={`Remove header ${at + 1}`}
              icon="close"
              className="self-end"
              onClick={() => put(at)}
            />
          </li>
        ))}
      </ul>
      {problem !== undefined && <p className="text-bad">{problem}</p>}
      <Button
        icon="plus"
        className="self-start"
        onClick={() => onChange(toHeaderText([...rows, { name: '', value: '' }]))}
      >
        Add header
      </Button>
      <p className="text-xs text-ink-2">
        Use secret://&lt;name&gt; for a secret of the organisation, which is read at each attempt.
      </p>
    </fieldset>
  );
}

export function CustomHeaders({ webhook }: { webhook: Webhook }) {
  const { can } = usePermissions('voice-api');
  const [text, setText] = useState<string | null>(null);
  const save = useAction((headers: Record<string, string> | null) => changeWebhook(webhook.id, { headers }), {
    says: 'Headers saved',
    reloads: WEBHOOKS,
    then: () => setText(null),
  });
  // An empty value means that the person did not enter it again.
  const empty = Object.entries(toHeaders(text ?? '')).find(([, value]) => value === '')?.[0];
  const own = Object.entries(webhook.headers ?? {});
  return (
    <Section title="Headers">
      {text === null && own.length === 0 && <p className="text-ink-2">No custom headers.</p>}
      {text === null && own.length > 0 && (
        <dl className="font-mono text-xs">
          {own.map(([name, value]) => (
            <div key={name} className="flex gap-2">
              <dt>{name}:</dt>
              <dd className="min-w-0 break-all text-ink-2">{value ?? '•••'}</dd>
            </div>
          ))}
        </dl>
      )}
      {!can('write') ? null : text === null ? (
        <div className="flex gap-2">
          <Button onClick={() => setText(own.map(([name, value]) => `${name}: ${value ?? ''}`).join('\n'))}>
            Edit headers
          </Button>
          {own.length > 0 && (
            <Button busy={save.isPending} onClick={() => save.mutate(null)}>
              Remove headers
            </Button>
          )}
        </div>
      ) : (
        <>
          <HeadersField
            isTitled
            value={text}
            error={
              empty &&
              `Enter the value of ${empty} again. Parley does not show stored values, except secret references.`
            }
            onChange={setText}
          />
          <div className="flex gap-2">
            <Button
              kind="primary"
              busy={save.isPending}
              disabled={empty !== undefined || findWrongName(text) !== undefined}
              onClick={() => {
                const headers = toHeaders(text);
                save.mutate(Object.keys(headers).length === 0 ? null : headers);
              }}
            >
              Save headers
            </Button>
            <Button onClick={() => setText(null)}>Cancel</Button>
          </div>
        </>
      )}
      {save.error && <Problem error={save.error} />}
    </Section>
  );
}
