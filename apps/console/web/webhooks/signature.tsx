// Verifies the signature of a pasted request, and explains why it does not match.
import { useState, type FormEvent } from 'react';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { Problem } from '../ui/page.tsx';
import { verify } from './api.ts';
import { parseHeaders } from './headers.rules.ts';

export function Signature({ webhookId }: { webhookId: string }) {
  const [headers, setHeaders] = useState('');
  const [body, setBody] = useState('');
  const check = useAction(() => verify(webhookId, { body, headers: parseHeaders(headers) }), {
    says: 'Signature checked',
    isShown: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    check.mutate();
  };
  const { data } = check;
  return (
    <form className="flex max-w-3xl flex-col gap-4" onSubmit={submit}>
      <p className="text-ink-2">
        Paste a request that your server received. Parley checks its signature and does not store it.
      </p>
      <TextArea
        label="Headers"
        hint="One name: value per line"
        className="font-mono text-xs"
        rows={5}
        value={headers}
        onChange={({ target }) => setHeaders(target.value)}
      />
      <TextArea
        label="Body"
        hint="The exact bytes, before anything parsed them"
        className="font-mono text-xs"
        rows={8}
        required
        value={body}
        onChange={({ target }) => setBody(target.value)}
      />
      <div>
        <Button type="submit" kind="primary" busy={check.isPending}>
          Verify signature
        </Button>
      </div>
      {check.error && <Problem error={check.error} />}
      {data && (
        <div role="status" className="flex flex-col gap-2 rounded-lg border border-line p-4">
          <p className="flex items-center gap-2">
            <Badge tone={data.verified ? 'good' : 'bad'}>{data.verified ? 'valid' : 'invalid'}</Badge>
            {data.message}
          </p>
          {data.matches.length > 0 && (
            <ul className="list-disc pl-5">
              {data.matches.map(({ scheme, secret }) => (
                <li key={scheme + secret}>
                  <code className="font-mono text-xs">{scheme}</code> with the {secret} secret
                </li>
              ))}
            </ul>
          )}
          {data.first_difference !== null && <Difference body={body} at={data.first_difference} />}
        </div>
      )}
    </form>
  );
}

/** The bytes around the first difference. Offsets count UTF-8 bytes, as the signature does. */
function Difference({ body, at }: { body: string; at: number }) {
  const bytes = new TextEncoder().encode(body);
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.slice(Math.max(0, from), to));
  return (
    <p className="font-mono text-xs break-all">
      {at > 40 && '…'}
      {text(at - 40, at)}
      <mark className="rounded bg-bad-soft px-0.5 text-bad">{text(at, at + 1) || 'end of body'}</mark>
      {text(at + 1, at + 40)}
    </p>
  );
}
