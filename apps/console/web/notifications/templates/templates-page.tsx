// The templates: what sends say, and which version of it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty, Loading, Page, Problem } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationTabs } from '../notification-tabs.tsx';
import { templatesQuery, type TemplateHead } from './api.ts';
import { NewTemplate } from './new-template.tsx';
import { templatesRoute } from './routes.tsx';

export function TemplatesPage() {
  const { cursor } = templatesRoute.useSearch();
  const [creating, setCreating] = useState(false);
  const list = useQuery({
    ...templatesQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <Page
      title="Notifications"
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          New template
        </Button>
      }
    >
      <NotificationTabs />
      {list.isPending && <Loading what="templates" />}
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.data?.items.length === 0 && (
        <Empty icon="notifications" title="There is no template yet">
          A template says once, in every language and for every channel, what a send then only fills in.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <Table
          label="Templates"
          head={['Template', 'State', { words: 'Created', className: WIDE }, 'Changed']}
        >
          {list.data.items.map((one) => (
            <Row key={one.template_id}>
              <Cell className="max-w-72">
                <Link
                  to="/notifications/templates/$templateId"
                  params={{ templateId: one.template_id }}
                  className={`block truncate ${rowLink}`}
                >
                  {one.template_id}
                </Link>
              </Cell>
              <Cell>
                <TemplateState of={one} />
              </Cell>
              <Cell className={WIDE}>
                <Time at={one.created_at} />
              </Cell>
              <Cell>
                <Time at={one.updated_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={list.data?.next_cursor ?? null} />
      {creating && <NewTemplate onClose={() => setCreating(false)} />}
    </Page>
  );
}

export function TemplateState({
  of: { published_version: published, latest_version: latest },
}: {
  of: TemplateHead;
}) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {published === null ? (
        <Badge tone="warn">not published</Badge>
      ) : (
        <Badge tone="good">version {published} is sent</Badge>
      )}
      {published !== null && latest > published && <Badge>{latest} is newer</Badge>}
    </span>
  );
}
