// The list of templates.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../../lists/list.tsx';
import { rowLink } from '../../ui/link.ts';
import type { Columns } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';
import { VersionState } from '../versions.tsx';
import { templatesQuery, type TemplateHead } from './api.ts';
import { NewTemplate } from './new-template.tsx';

const route = getRouteApi('/shell/notifications/templates');

export function TemplatesPage() {
  const { cursor } = route.useSearch();
  const list = useQuery({
    ...templatesQuery(cursor === undefined ? {} : { cursor }),
    placeholderData: (before) => before,
  });
  return (
    <NotificationsFrame verb="Create template" dialog={(onClose) => <NewTemplate onClose={onClose} />}>
      <List
        label="Templates"
        columns={COLUMNS}
        rowId={({ template_id: id }) => id}
        list={list}
        empty={{
          icon: 'notifications',
          title: 'No templates yet',
          children:
            'A template holds the text of a notification in every language and for every channel. A send only adds data.',
        }}
      />
    </NotificationsFrame>
  );
}

const COLUMNS: Columns<TemplateHead> = {
  template: {
    head: 'Template',
    place: 'name',
    className: 'md:max-w-72',
    cell: ({ template_id: id }) => (
      <Link
        to="/notifications/templates/$templateId"
        params={{ templateId: id }}
        className={`block truncate ${rowLink}`}
      >
        {id}
      </Link>
    ),
  },
  state: { head: 'State', place: 'state', cell: (one) => <VersionState of={one} /> },
  created: { head: 'Created', minor: true, cell: ({ created_at: at }) => <Time at={at} /> },
  updated: { head: 'Updated', cell: ({ updated_at: at }) => <Time at={at} /> },
};
