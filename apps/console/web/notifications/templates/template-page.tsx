// One version of a template: editor, preview, publishing and deleting.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../ui/button.tsx';
import { Loading, Page, Problem } from '../../ui/page.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { deleteTemplate, publishTemplate, templateQuery, TEMPLATES } from './api.ts';
import { VersionActions, VersionState } from '../versions.tsx';
import { Editor } from './editor.tsx';
import { Preview } from './preview.tsx';
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
      titleExtra={data && <VersionState of={data} />}
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
          <Preview key={templateId} draft={draft} />
        </div>
      )}
    </Page>
  );
}

function Actions({ template }: { template: Template }) {
  const navigate = route.useNavigate();
  const { template_id: id } = template;
  return (
    <VersionActions
      of={template}
      id={id}
      noun="template"
      keys={TEMPLATES}
      publish={(version) => publishTemplate(id, version)}
      remove={() => deleteTemplate(id)}
      leadsTo="/notifications/templates"
      onVersion={(version) => void navigate({ search: (was) => ({ ...was, version }) })}
    >
      <Link to="/notifications" search={{ template: id }} className={buttonClass()}>
        Send template
      </Link>
    </VersionActions>
  );
}
