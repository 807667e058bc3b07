// One version of a workflow: its form, publishing and deleting. Saving creates a version.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { May } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Loading, Page, Problem } from '../../ui/page.tsx';
import { channelLabel, CHANNELS } from '../channels.ts';
import { CategoryField } from '../compose/category-field.tsx';
import { WorkflowTimingFields } from '../compose/timing-fields.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { VersionActions, VersionState } from '../versions.tsx';
import {
  deleteWorkflow,
  publishWorkflow,
  saveWorkflow,
  workflowQuery,
  WORKFLOWS,
  type Workflow,
} from './api.ts';
import { draftOf, isChanged, requestOf, type Draft } from './workflow.rules.ts';

const route = getRouteApi('/shell/notifications/workflows/$workflowId');

export function WorkflowPage() {
  const { workflowId: id } = route.useParams();
  const { version } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery({
    ...workflowQuery(id, version),
    // Keeps the page while the newly saved version loads.
    placeholderData: (before) => (before?.workflow_id === id ? before : undefined),
  });
  return (
    <Page
      title={id}
      titleExtra={data && <VersionState of={data} />}
      actions={
        data && (
          <VersionActions
            of={data}
            id={id}
            noun="workflow"
            keys={WORKFLOWS}
            publish={(next) => publishWorkflow(id, next)}
            remove={() => deleteWorkflow(id)}
            leadsTo="/notifications/workflows"
            onVersion={(next) => void navigate({ search: { version: next } })}
          />
        )
      }
    >
      <NotificationTabs />
      {isPending && <Loading subject="the workflow" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <Editor key={`${id} ${data.version}`} workflow={data} />}
    </Page>
  );
}

function Editor({ workflow }: { workflow: Workflow }) {
  const navigate = route.useNavigate();
  const saved = draftOf(workflow);
  const [draft, setDraft] = useState<Draft>(saved);
  const changed = isChanged(draft, saved);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = useAction(() => saveWorkflow(workflow.workflow_id, requestOf(draft)), {
    says: ({ version }) => `Saved as version ${version}`,
    reloads: WORKFLOWS,
    then: ({ version }) => navigate({ search: { version }, ignoreBlocker: true }),
  });
  useBlocker({
    disabled: !changed,
    enableBeforeUnload: changed,
    shouldBlockFn: () => !window.confirm('You have unsaved changes. Leave the page and discard them?'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <form aria-label="Workflow" className="flex max-w-2xl flex-col gap-4" onSubmit={submit}>
      <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
        <legend className="mb-1 font-medium">Channels</legend>
        {CHANNELS.map((channel) => (
          <Checkbox
            key={channel}
            label={channelLabel(channel)}
            checked={draft.channels.includes(channel)}
            onChange={(event) =>
              change({
                channels: CHANNELS.filter((one) =>
                  one === channel ? event.target.checked : draft.channels.includes(one),
                ),
              })
            }
          />
        ))}
        <p className="w-full text-xs text-ink-2">
          Select none to use every channel that reaches people and is in no step.
        </p>
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Template"
          required
          maxLength={64}
          value={draft.templateId}
          onChange={(event) => change({ templateId: event.target.value })}
        />
        <TextField
          label="Template version"
          hint="Empty: the published version"
          type="number"
          min={1}
          value={draft.templateVersion}
          onChange={(event) => change({ templateVersion: event.target.value })}
        />
      </div>
      <CategoryField value={draft.category} onChange={(category) => change({ category })} />
      <WorkflowTimingFields timing={draft.timing} onChange={(timing) => change({ timing })} />
      {save.error && <Problem error={save.error} />}
      <May service="notifications" scope="write">
        {' '}
        <div className="flex flex-wrap items-center gap-3">
          <Button kind="primary" type="submit" busy={save.isPending} disabled={!changed}>
            Save version
          </Button>
          <Button kind="quiet" disabled={!changed} onClick={() => setDraft(saved)}>
            Discard changes
          </Button>
          <p className="text-xs text-ink-2">
            {changed
              ? `Saving creates version ${workflow.latest_version + 1}. Publish it to send it.`
              : 'No changes.'}
          </p>
        </div>
      </May>
    </form>
  );
}
