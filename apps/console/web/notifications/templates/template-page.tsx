// One version of a template: editor, preview, publishing and deleting.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { showToast } from '../../ui/notice.tsx';
import { Loading, Page, Problem } from '../../ui/page.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { deleteTemplate, publishTemplate, templateQuery, TEMPLATES } from './api.ts';
import { DeleteDialog } from '../delete-dialog.tsx';
import { useChange } from '../use-change.ts';
import { Editor } from './editor.tsx';
import { Preview } from './preview.tsx';
import { TemplateState } from './templates-page.tsx';
import type { Draft, Template } from './words.rules.ts';

const route = getRouteApi('/shell/notifications/templates/$templateId');

export function TemplatePage() {
  const { templateId } = route.useParams();
  const { version } = route.useSearch();
  const { data, error, isPending, refetch } = useQuery({
    ...templateQuery(templateId, version),
    // Keeps the page while the newly saved version loads.
    placeholderData: (before) => (before?.template_id === templateId ? before : undefined),
  });
  /** The unsaved draft, with the version it started from. */
  const [written, setWritten] = useState<{ readonly from: string; readonly draft: Draft } | null>(null);
  const from = `${templateId} ${data?.version}`;
  const draft = written?.from === from ? written.draft : data;
  return (
    <Page
      title={templateId}
      titleExtra={data && <TemplateState of={data} />}
      actions={data && <Actions template={data} />}
    >
      <NotificationTabs />
      {isPending && <Loading subject="the template" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && draft && (
        <div className="grid items-start gap-8 lg:grid-cols-2">
          <Editor
            key={from}
            template={data}
            draft={draft}
            onChange={(next) => setWritten({ from, draft: next })}
          />
          <Preview key={templateId} template={data} draft={draft} />
        </div>
      )}
    </Page>
  );
}

function Actions({ template }: { template: Template }) {
  const { template_id: id, version, published_version: published } = template;
  const [deleting, setDeleting] = useState(false);
  const publish = useChange(
    TEMPLATES,
    (next: number | null) => publishTemplate(id, next),
    ({ published_version: now }) =>
      showToast(now === null ? 'Template unpublished' : `Published version ${now}`),
  );
  return (
    <>
      <Versions template={template} />
      {version === published ? (
        <>
          <Link to="/notifications" search={{ template: id }} className={buttonClass()}>
            Send template
          </Link>
          <Button busy={publish.isPending} onClick={() => publish.mutate(null)}>
            Unpublish
          </Button>
        </>
      ) : (
        <Button kind="primary" busy={publish.isPending} onClick={() => publish.mutate(version)}>
          Publish version {version}
        </Button>
      )}
      <Button kind="danger" onClick={() => setDeleting(true)}>
        Delete template
      </Button>
      {publish.error && <Problem error={publish.error} />}
      {deleting && (
        <DeleteDialog
          name={id}
          keys={TEMPLATES}
          remove={() => deleteTemplate(id)}
          leadsTo="/notifications/templates"
          onClose={() => setDeleting(false)}
        >
          This deletes all versions. New sends with this template fail; accepted notifications are still sent.
        </DeleteDialog>
      )}
    </>
  );
}

function Versions({
  template: { version, latest_version: latest, published_version: published },
}: {
  template: Template;
}) {
  const navigate = route.useNavigate();
  return (
    <select
      aria-label="Version"
      value={version}
      onChange={(event) =>
        void navigate({ search: (was) => ({ ...was, version: Number(event.target.value) }) })
      }
      className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm"
    >
      {Array.from({ length: latest }, (_, index) => latest - index).map((one) => (
        <option key={one} value={one}>
          Version {one}
          {one === published && ', published'}
        </option>
      ))}
    </select>
  );
}
