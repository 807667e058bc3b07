// The settings of an agent. Saving makes a new version.
import { useState, type FormEvent, type ReactNode } from 'react';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Refused } from '../../ui/field.tsx';
import { Problem } from '../../ui/page.tsx';
import { AGENTS, updateAgent, type Agent, type AgentUpdate } from '../api.ts';
import {
  BasicFields,
  CallFields,
  LabelFields,
  LanguageField,
  ModelFields,
  PromptFields,
  VoiceFields,
} from './fields.tsx';
import { FlowFields } from './flow-fields.tsx';
import { parseMetadata, toForm, toUpdate, type AgentForm } from './form.rules.ts';

/** Give it the version as its key: a newer version replaces what was typed. */
export function Settings({ agent, isReadOnly }: { agent: Agent; isReadOnly: boolean }) {
  const [before] = useState(() => toForm(agent));
  const [form, setForm] = useState(before);
  const set = (change: Partial<AgentForm>) => setForm((was) => ({ ...was, ...change }));
  const save = useAction((update: AgentUpdate) => updateAgent(agent, update), {
    says: ({ version }) => `Version ${version} saved`,
    reloads: AGENTS,
  });
  const update = toUpdate(form, before);
  const isChanged = Object.keys(update).length > 0;
  const isValid = form.name.trim() !== '' && parseMetadata(form.metadata) !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && isValid) save.mutate(update);
  };
  return (
    <form onSubmit={submit} className="flex max-w-3xl flex-col gap-8">
      <fieldset disabled={isReadOnly} className="contents">
        <Refused error={save.error}>
          <Groups form={form} set={set} />
        </Refused>
      </fieldset>
      {save.error && <Problem error={save.error} />}
      {isReadOnly ? (
        <p className="text-ink-2">You can read these settings. To change them you need the scope write.</p>
      ) : (
        <div className="sticky bottom-0 flex items-center gap-3 border-t border-line bg-surface py-3">
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged || !isValid}>
            Save version
          </Button>
          {isChanged && <Button onClick={() => setForm(before)}>Discard changes</Button>}
          <span className="text-ink-2">{isChanged ? 'Not saved yet' : `Version ${agent.version}`}</span>
        </div>
      )}
    </form>
  );
}

function Groups({ form, set }: { form: AgentForm; set: (change: Partial<AgentForm>) => void }) {
  const props = { form, set };
  return (
    <>
      <Group title="Agent">
        <BasicFields {...props} />
        <FlowFields {...props} />
        <LanguageField {...props} />
      </Group>
      <Group title="Voice and models" hint="For the runtime that carries the call.">
        <VoiceFields {...props} />
        <ModelFields {...props} />
      </Group>
      <Group title="Without a flow">
        <PromptFields {...props} />
      </Group>
      <Group title="Conversations">
        <CallFields {...props} />
      </Group>
      <Group title="Labels">
        <LabelFields {...props} />
      </Group>
    </>
  );
}

function Group({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4">
      <div>
        <h2 className="font-semibold">{title}</h2>
        {hint !== undefined && <p className="text-xs text-ink-2">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
