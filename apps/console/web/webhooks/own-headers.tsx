// Headers of one's own. Values that are no reference to a secret are never told again, so all of them are written anew or left as they are.
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { notice } from '../ui/notice.tsx';
import { changeWebhook, useWebhookChange, type Webhook } from './api.ts';
import { parseHeaders } from './headers.rules.ts';

/** A header that stands twice is sent with both values. */
export const headersIn = (text: string): Record<string, string> =>
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
      hint="A line each, as name: value. A value may be secret://<name>, a secret of the organisation, read at each attempt."
      placeholder="x-tenant: acme"
      className="font-mono text-xs"
      spellCheck={false}
      error={error}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

export function OwnHeaders({ webhook }: { webhook: Webhook }) {
  const [text, setText] = useState<string | null>(null);
  const save = useWebhookChange(
    (headers: Record<string, string> | null) => changeWebhook(webhook.id, { headers }),
    () => {
      setText(null);
      notice('Saved');
    },
  );
  // One whose value nobody wrote again would be sent without it.
  const empty = Object.entries(headersIn(text ?? '')).find(([, value]) => value === '')?.[0];
  const own = Object.entries(webhook.headers ?? {});
  return (
    <Section title="Headers">
      {own.length === 0 && <p className="text-ink-2">None of your own.</p>}
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
      {text === null ? (
        <div className="flex gap-2">
          <Button onClick={() => setText(own.map(([name, value]) => `${name}: ${value ?? ''}`).join('\n'))}>
            Write them anew
          </Button>
          {own.length > 0 && (
            <Button busy={save.isPending} onClick={() => save.mutate(null)}>
              Remove them
            </Button>
          )}
        </div>
      ) : (
        <>
          <HeadersField
            value={text}
            error={
              empty &&
              `Write the value of ${empty} again: what is no reference to a secret is not told a second time.`
            }
            onChange={setText}
          />
          <div className="flex gap-2">
            <Button
              kind="primary"
              busy={save.isPending}
              disabled={empty !== undefined}
              onClick={() => save.mutate(headersIn(text))}
            >
              Save the headers
            </Button>
            <Button onClick={() => setText(null)}>Cancel</Button>
          </div>
        </>
      )}
      {save.error && <Problem error={save.error} />}
    </Section>
  );
}
