// The preview of a send: exact bodies per channel, and skipped or suppressed channels.
import { useEffect, useRef } from 'react';
import { z } from 'zod';
import { Badge } from '../../ui/badge.tsx';
import { CodeBlock, Json } from '../../ui/copy.tsx';
import { audienceIn, type Accepted, type NotifyBody, type Preview } from '../api.ts';
import { channelLabel } from '../channels.ts';

export function PreviewOf({ answer, request }: { answer: Accepted | Preview; request: NotifyBody }) {
  const bodies = 'preview' in answer ? Object.entries(answer.preview) : [];
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), [answer]);
  const audience = audienceIn(answer, request);
  return (
    <section ref={section} tabIndex={-1} aria-label="Preview" className="flex min-w-0 flex-col gap-4">
      {audience && <p className="rounded-lg bg-warn-soft px-4 py-3 font-medium">{audience}</p>}
      {answer.members !== undefined && (
        <p>
          To <strong className="tabular-nums">{answer.members}</strong>{' '}
          {answer.members === 1 ? 'member' : 'members'}, each with their own address, language and
          preferences.
        </p>
      )}
      {answer.rejected?.map(({ channel, reason }) => (
        <p key={channel} className="rounded-lg bg-warn-soft px-4 py-3">
          <Badge tone="warn">{channelLabel(channel)}</Badge> is skipped: {reason}
        </p>
      ))}
      {answer.suppressed?.map(({ channel, reason }) => (
        <p key={channel} className="rounded-lg bg-surface-3 px-4 py-3">
          <Badge>{channelLabel(channel)}</Badge> is suppressed: {reason}
        </p>
      ))}
      {request.digest && (
        <p className="rounded-lg bg-surface-3 px-4 py-3">
          The digest collects all sends with the key <code className="font-mono">{request.digest.key}</code>.
          The preview shows only this one.
        </p>
      )}
      {bodies.map(([channel, body]) => (
        <div key={channel} className="flex min-w-0 flex-col gap-1">
          <h2 className="font-semibold">{channelLabel(channel)}</h2>
          <BodyOf body={body} what={`${channel} body`} />
        </div>
      ))}
      <details>
        <summary className="font-medium">API request</summary>
        <Json value={request} label="the request" />
      </details>
    </section>
  );
}

/** An e-mail has one text per provider, which JSON would make unreadable. */
const mail = z.looseObject({
  providers: z.array(z.looseObject({ provider: z.string(), body: z.unknown() })),
  fetched_attachments: z
    .array(z.object({ filename: z.string(), url: z.object({ host: z.string() }) }))
    .default([]),
});

function BodyOf({ body, what }: { body: unknown; what: string }) {
  const asMail = mail.safeParse(body);
  if (!asMail.success) return <Json value={body} label={what} />;
  return (
    <>
      {asMail.data.fetched_attachments.map(({ filename, url }) => (
        <p key={filename} className="text-ink-2">
          {filename} is fetched from {url.host} at the time of sending.
        </p>
      ))}
      {asMail.data.providers.map(({ provider, body: given }) => (
        <div key={provider} className="flex flex-col gap-1">
          <h3 className="text-xs text-ink-2">by {provider}</h3>
          {typeof given === 'string' ? (
            <CodeBlock text={given} label={`${what} by ${provider}`} />
          ) : (
            <Json value={given} label={`${what} by ${provider}`} />
          )}
        </div>
      ))}
    </>
  );
}
