// One template in one of its versions: what it says, what becomes of it with data, and which version is sent.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { notice } from '../../ui/notice.tsx';
import { Loading, Page, Problem } from '../../ui/page.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { deleteTemplate, publishTemplate, templateQuery, TEMPLATES } from './api.ts';
import { useChange } from '../use-change.ts';
import { Editor } from './editor.tsx';
import { Preview } from './preview.tsx';
import { templateRoute } from './routes.tsx';
import { TemplateState } from './templates-page.tsx';
import type { Template } from './words.rules.ts';

export function TemplatePage() {
  const { templateId } = templateRoute.useParams();
  const { version } = templateRoute.useSearch();
  const { data, error, isPending, refetch } = useQuery(templateQuery(templateId, version));
  return (
    <Page
      title={templateId}
      beside={data && <TemplateState of={data} />}
      actions={data && <Actions template={data} />}
    >
      <NotificationTabs />
      {isPending && <Loading what="the template" />}
      {error && <Problem error={error} again={() => void refetch()} />}
      {data && (
        <div className="grid items-start gap-8 lg:grid-cols-2">
          <Editor key={`${data.template_id} ${data.version}`} template={data} />
          <Preview template={data} />
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
      notice(now === null ? 'Nothing of it is sent any more' : `Version ${now} is sent from now on`),
  );
  return (
    <>
      <Versions template={template} />
      {version === published ? (
        <>
          <Link to="/notifications" search={{ template: id }} className={buttonClass()}>
            Send it
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
        Delete
      </Button>
      {publish.error && <Problem error={publish.error} />}
      {deleting && <DeleteTemplate id={id} onClose={() => setDeleting(false)} />}
    </>
  );
}

function Versions({
  template: { version, latest_version: latest, published_version: published },
}: {
  template: Template;
}) {
  const navigate = useNavigate({ from: templateRoute.fullPath });
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

function DeleteTemplate({ id, onClose }: { id: string; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useChange(
    TEMPLATES,
    () => deleteTemplate(id),
    () => {
      notice(`${id} is deleted`);
      void navigate({ to: '/notifications/templates' });
    },
  );
  return (
    <Confirm
      title={`Delete ${id}?`}
      open
      onClose={onClose}
      verb="Delete"
      busy={remove.isPending}
      onConfirm={() => remove.mutate(undefined)}
    >
      <p>
        All of its versions go. Sends that name it are refused from then on; what was accepted is still sent.
      </p>
      {remove.error && <Problem error={remove.error} />}
    </Confirm>
  );
}
