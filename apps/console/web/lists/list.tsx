// A list of objects: filters, columns, order, selection, pages, and its states. Each page only says
// what its columns, filters and actions are. The view is in the URL.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Service } from '../api/clients.ts';
import { usePermissions, type Scope } from '../session/scopes.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Filters } from '../ui/filters.tsx';
import type { IconName } from '../ui/icon.tsx';
import { Empty, Loading, Problem } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Table, type Selection, type TableProps } from '../ui/table.tsx';
import { BulkBar, type Bulk } from './bulk.tsx';
import { listFilters, withoutFilters, type Search } from './list-search.ts';
import { ViewMenu } from './view-menu.tsx';

export interface RowAction<Item> {
  /** `Revoke`; a screen reader hears the name of the row too. */
  readonly verb: string;
  readonly scope: Scope;
  readonly run: (item: Item) => void;
  /** Rows that it applies to. */
  readonly isFor?: (item: Item) => boolean;
  readonly busy?: boolean;
}

interface ListProps<Item> extends Pick<TableProps<Item>, 'label' | 'columns' | 'rowId' | 'nameOf' | 'plain'> {
  /** Whose scopes decide what is offered. */
  readonly service?: Service;
  /** The query of the list. */
  readonly list: {
    readonly data: { readonly items: readonly Item[]; readonly next_cursor?: string | null } | undefined;
    readonly error: Error | null;
    readonly isLoading: boolean;
    readonly refetch: () => unknown;
  };
  /** What the list is for, and the next step. Null: the page says it. */
  readonly empty: { readonly icon: IconName; readonly title: string; readonly children?: ReactNode } | null;
  /** The controls of the filters. */
  readonly filters?: ReactNode;
  /** The member by which the service sorts when the URL names none. */
  readonly sorted?: string;
  /** Buttons of each row. */
  readonly actions?: readonly RowAction<Item>[];
  /** Actions on the selected rows. */
  readonly bulk?: readonly Bulk<Item>[];
  /** Error of an action of a row. */
  readonly problem?: Error | null;
  /** The URL parameter of the page, where a page has several lists. */
  readonly cursorName?: string;
  /** For lists that grow instead of having pages. */
  readonly more?: { readonly busy: boolean; readonly onMore: () => void } | undefined;
  /** Between the filters and the table. */
  readonly children?: ReactNode;
  /** Without a menu of columns and views: a short list inside another page. */
  readonly bare?: boolean;
}

export function List<Item extends object>(props: ListProps<Item>) {
  const { label, list, columns, empty, filters, problem, more, bare = false } = props;
  const { rowId, cursorName = 'cursor' } = props;
  const search: Search = useSearch({ strict: false });
  const { can } = usePermissions(props.service);
  const bulk = props.bulk?.filter(({ scope }) => can(scope)) ?? [];
  const actions = props.actions?.filter(({ scope }) => can(scope)) ?? [];
  const [rows, setRows] = useState<Selection['rows']>({});
  const items = list.data?.items ?? [];
  const selected = items.filter((item) => rows[rowId(item)]);
  const isFiltered = listFilters(search).length > 0 && filters !== undefined;
  const chosen = typeof search['columns'] === 'string' ? new Set(search['columns'].split(',')) : undefined;
  const sorting = useSorting(search, props.sorted);
  const error = list.error ?? problem ?? null;
  const view = !bare && items.length > 0 && <ViewMenu label={label} columns={columns} chosen={chosen} />;
  return (
    <div className="flex flex-col gap-3">
      {filters === undefined ? (
        <div className="flex empty:hidden">{view}</div>
      ) : (
        <Filters>
          {filters}
          {isFiltered && (
            <Link to="." search={withoutFilters(search) as never} className={rowLink}>
              Clear filters
            </Link>
          )}
          {view}
        </Filters>
      )}
      {props.children}
      {list.isLoading && <Loading subject={label.toLowerCase()} />}
      {error && <Problem error={error} onRetry={() => void list.refetch()} />}
      {empty && list.data && items.length === 0 && (
        <Empty
          icon={isFiltered ? 'search' : empty.icon}
          title={isFiltered ? `No matching ${label.toLowerCase()}` : empty.title}
        >
          {isFiltered ? 'Change or clear the filters to see more.' : empty.children}
        </Empty>
      )}
      {selected.length > 0 && bulk.length > 0 && (
        <BulkBar
          label={label}
          selected={selected}
          bulk={bulk}
          onDone={(failed) => {
            setRows(Object.fromEntries(failed.map((item) => [rowId(item), true as const])));
            void list.refetch();
          }}
        />
      )}
      {items.length > 0 && (
        <Table
          {...props}
          items={items}
          actions={actions.length > 0 ? toButtons(actions, props.nameOf ?? rowId) : undefined}
          chosen={chosen}
          sorting={sorting}
          selection={bulk.length > 0 ? { rows, onChange: setRows } : undefined}
        />
      )}
      {more && (
        <Button className="self-center" busy={more.busy} onClick={more.onMore}>
          Load more
        </Button>
      )}
      <Pager name={cursorName} search={search} next={list.data?.next_cursor ?? null} />
    </div>
  );
}

const toButtons =
  <Item,>(actions: readonly RowAction<Item>[], nameOf: (item: Item) => string) =>
  (item: Item) =>
    actions
      .filter(({ isFor }) => isFor?.(item) ?? true)
      .map(({ verb, run, busy }) => (
        <Button
          key={verb}
          kind="quiet"
          busy={busy ?? false}
          aria-label={`${verb} ${nameOf(item)}`}
          onClick={() => run(item)}
        >
          {verb}
        </Button>
      ));

function useSorting(search: Search, usual: string | undefined) {
  const navigate = useNavigate();
  if (usual === undefined) return undefined;
  const by = typeof search['sort'] === 'string' ? search['sort'] : usual;
  const order = search['order'] === 'asc' ? ('asc' as const) : ('desc' as const);
  const onSort = (next: string) => {
    const change = {
      sort: next === usual ? undefined : next,
      order: next === by && order === 'desc' ? 'asc' : undefined,
      cursor: undefined,
    };
    void navigate({ to: '.', search: (was: object) => ({ ...was, ...change }), replace: true } as never);
  };
  return { by, order, onSort };
}

interface PagerProps {
  readonly name: string;
  readonly search: Search;
  readonly next: string | null;
}

/** Links to the pages. The cursor is a URL parameter, so pages can be shared. */
function Pager({ name, search, next }: PagerProps) {
  const isFirst = search[name] === undefined;
  if (isFirst && next === null) return null;
  const to = (cursor: string | undefined) => ({ ...search, [name]: cursor }) as never;
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2">
      {!isFirst && (
        <Link to="." search={to(undefined)} className={buttonClass()}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link to="." search={to(next)} className={buttonClass()}>
          Older
        </Link>
      )}
    </nav>
  );
}
