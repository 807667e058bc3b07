'use client';
// One webhook: its state, secret and signature, test, deliveries and replay.
import { useState } from 'react';
import type { components } from '@parley/sdk/voice-api';
import { useCan, useChange, useLoad, useShared, type Loaded } from './context.ts';
import { Deliveries } from './deliveries.tsx';
import { Badge, Code, Head, Loading, Problem } from './parts.tsx';
import { PYTHON, TYPESCRIPT } from './snippets.ts';

type Webhook = components['schemas']['Webhook'];
type EventType = NonNullable<components['schemas']['WebhookTest']['event']>;

interface WebhookViewProps {
  readonly id: string;
  /** Of a webhook that was just added. */
  readonly secret?: string | undefined;
}

export function WebhookView({ id, secret }: WebhookViewProps) {
  const { words } = useShared();
  const loaded = useLoad(`webhook ${id}`, (client, signal) =>
    client.getWebhook({ webhook_id: id }, { signal }),
  );
  const [shown, setShown] = useState(secret);
  const [tests, setTests] = useState(0);
  const mayWrite = useCan('write');
  return (
    <>
      <Head title={loaded.data?.url ?? words.title} backTo={{ view: 'list' }} />
      <Loading of={loaded}>
        {(webhook) => (
          <>
            <Summary webhook={webhook} loaded={loaded} />
            {shown !== undefined && <Secret secret={shown} />}
            {mayWrite && <Test webhook={webhook} onTested={() => setTests((before) => before + 1)} />}
            <Deliveries key={tests} webhookId={id} />
            <Signature webhook={webhook} onRotated={setShown} />
          </>
        )}
      </Loading>
    </>
  );
}

function Summary({ webhook, loaded }: { readonly webhook: Webhook; readonly loaded: Loaded<unknown> }) {
  const { words, client, open } = useShared();
  const [mayWrite, mayDelete] = [useCan('write'), useCan('delete')];
  const [isRemoving, setRemoving] = useState(false);
  const change = useChange();
  const { id, status, description, events, disabled_reason: reason } = webhook;
  const isActive = status === 'active';
  const toggle = async () => {
    await client.changeWebhook({ webhook_id: id, body: { status: isActive ? 'disabled' : 'active' } });
    loaded.reload();
  };
  const remove = async () => {
    await client.deleteWebhook({ webhook_id: id });
    open({ view: 'list' });
  };
  return (
    <div>
      <p>
        <Badge mood={isActive ? 'good' : 'bad'}>{isActive ? words.active : words.disabled}</Badge>{' '}
        {description && <span dir="auto">{description}</span>}
      </p>
      {reason && <p dir="auto">{reason}</p>}
      <p className="parley-portal-soft">{events.includes('*') ? words.everyEvent : events.join(', ')}</p>
      <div className="parley-portal-actions">
        {mayWrite && (
          <>
            <button type="button" onClick={() => open({ view: 'edit', id })}>
              {words.edit}
            </button>
            <button type="button" disabled={change.isRunning} onClick={() => change.run(toggle)}>
              {isActive ? words.disable : words.enable}
            </button>
          </>
        )}
        {mayDelete && !isRemoving && (
          <button type="button" onClick={() => setRemoving(true)}>
            {words.remove}
          </button>
        )}
        {isRemoving && (
          <>
            <button
              type="button"
              className="parley-portal-danger"
              disabled={change.isRunning}
              onClick={() => change.run(remove)}
            >
              {words.confirmRemove}
            </button>
            <button type="button" onClick={() => setRemoving(false)}>
              {words.cancel}
            </button>
          </>
        )}
      </div>
      <Problem error={change.error} />
    </div>
  );
}

function Secret({ secret }: { readonly secret: string }) {
  const { words } = useShared();
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setCopied(true));
  return (
    <section className="parley-portal-secret" aria-label={words.secret}>
      <p role="status">{words.secretOnce}</p>
      <code dir="ltr">{secret}</code>
      <button type="button" onClick={copy}>
        {isCopied ? words.copied : words.copy}
      </button>
    </section>
  );
}

function Test({ webhook, onTested }: { readonly webhook: Webhook; readonly onTested: () => void }) {
  const { words, client } = useShared();
  const types = useLoad('event types', (from, signal) => from.listEventTypes({}, { signal }));
  const [type, setType] = useState<EventType>('conversation.ended');
  const [result, setResult] = useState('');
  const change = useChange();
  const test = async () => {
    const { delivered, attempt } = await client.testWebhook({
      webhook_id: webhook.id,
      body: { event: type },
    });
    const { status, ms, message } = attempt;
    setResult(delivered ? words.tested(status, ms) : words.testFailed(message ?? String(status)));
    onTested();
  };
  return (
    <div className="parley-portal-actions">
      <select
        aria-label={words.testType}
        value={type}
        onChange={({ target }) => setType(target.value as EventType)}
      >
        {(types.data?.items ?? [{ type }]).map(({ type: one }) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <button type="button" disabled={change.isRunning} onClick={() => change.run(test)}>
        {words.test}
      </button>
      <span role="status">{result}</span>
      <Problem error={change.error} />
    </div>
  );
}

interface SignatureProps {
  readonly webhook: Webhook;
  readonly onRotated: (secret: string) => void;
}

function Signature({ webhook, onRotated }: SignatureProps) {
  const { words, client } = useShared();
  const mayWrite = useCan('write');
  const change = useChange();
  const rotate = async () => {
    const { secret } = await client.rotateWebhookSecret({ webhook_id: webhook.id });
    onRotated(secret);
  };
  return (
    <section>
      <h3>{words.signature}</h3>
      <p>{words.signatureHint}</p>
      <p>
        {words.secret}: <code dir="ltr">{webhook.secret_hint}</code>
      </p>
      <Code label="TypeScript">{TYPESCRIPT}</Code>
      <Code label="Python">{PYTHON}</Code>
      {mayWrite && (
        <div className="parley-portal-actions">
          <button type="button" disabled={change.isRunning} onClick={() => change.run(rotate)}>
            {words.rotate}
          </button>
          <span className="parley-portal-soft">{words.rotateHint}</span>
        </div>
      )}
      <Problem error={change.error} />
    </section>
  );
}
