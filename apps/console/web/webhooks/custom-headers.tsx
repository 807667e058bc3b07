// Custom headers of a webhook. The API returns no plain values, so people either keep all headers
// or enter all again.
import { useState } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { WEBHOOKS, changeWebhook, type Webhook } from './api.ts';
import { parseHeaders } from './headers.rules.ts';

/** Joins the values of a repeated header. */
export const toHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parseHeaders(text)).map(([name, value]) => [name, [value].flat().join(', ')]),
  );

interface HeadersFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (text: string) => void;
}

export function HeadersField({ value, error, onChange }: HeadersFieldProps) {
  return (
    <TextArea
      label="Headers"
      name="headers"
      hint="One name: value per line. Use secret://<name> for a secret of the organisation, which is read at each attempt."
      placeholder="x-tenant: acme"
      className="font-mono text-xs"
      spellCheck={false}
      error={error}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
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
      {own.length === 0 && <p className="text-ink-2">No custom headers.</p>}
      {own.length > 0 && (
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
              disabled={empty !== undefined}
              onClick={() => save.mutate(toHeaders(text))}
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
