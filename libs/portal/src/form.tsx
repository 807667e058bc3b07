'use client';
// Adds and edits a webhook.
import { useId, useState, type FormEvent } from 'react';
import type { components } from '@parley/sdk/voice-api';
import { useChange, useLoad, useShared, type Place } from './context.ts';
import { Head, Loading, Problem } from './parts.tsx';

type Events = components['schemas']['NewWebhook']['events'];

interface Settings {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
}

export function NewWebhook() {
  const { words, client, open } = useShared();
  const save = async ({ url, events, description }: Settings) => {
    const body = { url, events: events as Events, ...(description && { description }) };
    const { id, secret } = await client.registerWebhook({ body });
    open({ view: 'webhook', id, secret });
  };
  return (
    <>
      <Head title={words.add} backTo={{ view: 'list' }} />
      <Form before={{ url: '', events: ['*'], description: '' }} backTo={{ view: 'list' }} save={save} />
    </>
  );
}

export function EditWebhook({ id }: { readonly id: string }) {
  const { words, client, open } = useShared();
  const backTo = { view: 'webhook', id } as const;
  const loaded = useLoad(`webhook ${id}`, (from, signal) => from.getWebhook({ webhook_id: id }, { signal }));
  const save = async ({ url, events, description }: Settings) => {
    const body = { url, events: events as Events, description: description || null };
    await client.changeWebhook({ webhook_id: id, body });
    open(backTo);
  };
  return (
    <>
      <Head title={words.edit} backTo={backTo} />
      <Loading of={loaded}>
        {({ url, events, description }) => (
          <Form before={{ url, events, description: description ?? '' }} backTo={backTo} save={save} />
        )}
      </Loading>
    </>
  );
}

interface FormProps {
  readonly before: Settings;
  readonly backTo: Place;
  readonly save: (settings: Settings) => Promise<void>;
}

function Form({ before, backTo, save }: FormProps) {
  const { words, open } = useShared();
  const [settings, setSettings] = useState(before);
  const change = useChange();
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.run(() => save(settings));
  };
  return (
    <form className="parley-portal-form" onSubmit={submit}>
      <label htmlFor={`${id}-url`}>{words.address}</label>
      <input
        id={`${id}-url`}
        type="url"
        required
        dir="ltr"
        placeholder="https://"
        aria-describedby={`${id}-hint`}
        value={settings.url}
        onChange={({ target }) => setSettings({ ...settings, url: target.value })}
      />
      <small id={`${id}-hint`}>{words.addressHint}</small>
      <label htmlFor={`${id}-description`}>{words.description}</label>
      <input
        id={`${id}-description`}
        maxLength={1000}
        dir="auto"
        value={settings.description}
        onChange={({ target }) => setSettings({ ...settings, description: target.value })}
      />
      <EventTypes chosen={settings.events} choose={(events) => setSettings({ ...settings, events })} />
      <Problem error={change.error} />
      <div className="parley-portal-actions">
        <button
          type="submit"
          className="parley-portal-main"
          disabled={change.isRunning || settings.events.length === 0}
        >
          {words.save}
        </button>
        <button type="button" onClick={() => open(backTo)}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

interface EventTypesProps {
  readonly chosen: readonly string[];
  readonly choose: (events: readonly string[]) => void;
}

/** The catalogue of events, each with a sentence. */
function EventTypes({ chosen, choose }: EventTypesProps) {
  const { words } = useShared();
  const loaded = useLoad('event types', (client, signal) => client.listEventTypes({}, { signal }));
  const isEvery = chosen.includes('*');
  const toggle = (type: string, isChosen: boolean) =>
    choose(isChosen ? [...chosen, type] : chosen.filter((one) => one !== type));
  return (
    <fieldset>
      <legend>{words.eventTypes}</legend>
      <label>
        <input
          type="checkbox"
          checked={isEvery}
          onChange={({ target }) => choose(target.checked ? ['*'] : [])}
        />
        {words.everyEvent}
      </label>
      <Loading of={loaded}>
        {({ items }) =>
          items.map(({ type, summary }) => (
            <label key={type}>
              <input
                type="checkbox"
                disabled={isEvery}
                checked={isEvery || chosen.includes(type)}
                onChange={({ target }) => toggle(type, target.checked)}
              />
              <code>{type}</code>
              {summary}
            </label>
          ))
        }
      </Loading>
    </fieldset>
  );
}
