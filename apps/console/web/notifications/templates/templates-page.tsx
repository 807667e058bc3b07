// The list of templates.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Cell, Row, rowLink, WIDE } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ListOf, NotificationsFrame } from '../list-page.tsx';
import { VersionState } from '../versions.tsx';
import { templatesQuery } from './api.ts';
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
      <ListOf
        label="Templates"
        list={list}
        cursor={cursor}
        empty={{
          title: 'No templates yet',
          words:
            'A template holds the text of a notification in every language and for every channel. A send only adds data.',
        }}
        head={['Template', 'State', { label: 'Created', className: WIDE }, 'Updated']}
        row={(one) => (
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
              <VersionState of={one} />
            </Cell>
            <Cell className={WIDE}>
              <Time at={one.created_at} />
            </Cell>
            <Cell>
              <Time at={one.updated_at} />
            </Cell>
          </Row>
        )}
      />
    </NotificationsFrame>
  );
}
