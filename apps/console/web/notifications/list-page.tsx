// The layout of the list pages of notifications: create button, table, states and pages.
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Table, type Head } from '../ui/table.tsx';
import { NotificationTabs } from './notification-tabs.tsx';

interface FrameProps {
  /** Label of the create button. */
  readonly verb: string;
  readonly dialog: (onClose: () => void) => ReactNode;
  readonly children: ReactNode;
}

export function NotificationsFrame({ verb, dialog, children }: FrameProps) {
  const [making, setMaking] = useState(false);
  return (
    <Page
      title="Notifications"
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          {verb}
        </Button>
      }
    >
      <NotificationTabs />
      {children}
      {making && dialog(() => setMaking(false))}
    </Page>
  );
}

interface ListOfProps<Item> {
  /** Accessible name of the table: `Templates`. */
  readonly label: string;
  readonly list: UseQueryResult<{ readonly items: readonly Item[]; readonly next_cursor: string | null }>;
  readonly cursor: string | undefined;
  readonly empty: { readonly title: string; readonly words: string };
  readonly head: readonly Head[];
  readonly row: (item: Item) => ReactNode;
}

export function ListOf<Item>({ label, list, cursor, empty, head, row }: ListOfProps<Item>) {
  const { data, error, isPending, refetch } = list;
  return (
    <>
      {isPending && <Loading subject={label.toLowerCase()} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && (
        <Empty icon="notifications" title={empty.title}>
          {empty.words}
        </Empty>
      )}
      {data && data.items.length > 0 && (
        <Table label={label} head={head}>
          {data.items.map(row)}
        </Table>
      )}
      <Pager cursor={cursor} next={data?.next_cursor ?? null} />
    </>
  );
}
