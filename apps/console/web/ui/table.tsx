// A table, drawn with TanStack Table. On a phone each row is a card. Arrow keys move between rows,
// Enter opens the row, and Space selects it.
import {
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type OnChangeFn,
  type RowSelectionState,
} from '@tanstack/react-table';
import { useMemo, type ReactNode } from 'react';

export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => ReactNode;
  /** `name`: what the row is called, always shown. `state`: its badge. Cards begin with them. */
  readonly place?: 'name' | 'state' | undefined;
  /** Right-aligned figures. */
  readonly numeric?: boolean;
  /** Cards show it only when the person chose it. */
  readonly minor?: boolean;
  /** Shown only when the person chose it. */
  readonly optional?: boolean;
  /** The member by which the service sorts. */
  readonly sort?: string;
  readonly className?: string;
}

/** By id, in order. The id is part of the address of a view. */
export type Columns<Item> = Readonly<Record<string, Column<Item>>>;

export interface Sorting {
  readonly by: string;
  readonly order: 'asc' | 'desc';
  readonly onSort: (by: string) => void;
}

export interface Selection {
  readonly rows: RowSelectionState;
  readonly onChange: OnChangeFn<RowSelectionState>;
}

export interface TableProps<Item> {
  readonly label: string;
  readonly columns: Columns<Item>;
  readonly items: readonly Item[];
  readonly rowId: (item: Item) => string;
  /** What people call the row. Default: its id. */
  readonly nameOf?: ((item: Item) => string) | undefined;
  /** Buttons of a row. */
  readonly actions?: ((item: Item) => ReactNode) | undefined;
  /** Ids of the columns that the person chose. */
  readonly chosen?: ReadonlySet<string> | undefined;
  readonly sorting?: Sorting | undefined;
  readonly selection?: Selection | undefined;
  /** Stays a table on phones: few narrow columns, or a matrix. */
  readonly plain?: boolean;
}

const FEATURES = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
const TICK = 'size-4 align-middle accent-accent';

export const isShown = <Item,>(columns: Columns<Item>, id: string, chosen?: ReadonlySet<string>): boolean =>
  columns[id]?.place === 'name' || (chosen === undefined ? !columns[id]?.optional : chosen.has(id));

export function Table<Item extends object>(props: TableProps<Item>) {
  const {
    label,
    columns,
    items,
    rowId,
    nameOf = rowId,
    actions,
    chosen,
    sorting,
    selection,
    plain = false,
  } = props;
  const ids = Object.keys(columns);
  const key = ids.join();
  const definitions = useMemo(() => key.split(',').map((id) => ({ id })), [key]);
  const table = useTable<typeof FEATURES, Item>({
    features: FEATURES,
    columns: definitions,
    data: items,
    getRowId: rowId,
    state: {
      rowSelection: selection?.rows ?? {},
      columnVisibility: Object.fromEntries(ids.map((id) => [id, isShown(columns, id, chosen)])),
    },
    ...(selection ? { onRowSelectionChange: selection.onChange } : {}),
  });
  const heads = table.getVisibleLeafColumns().map(({ id }) => ({ id, ...columns[id]! }));
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      ref={listen}
      className={plain ? 'table-box overflow-x-auto' : 'table-box table-cards'}
    >
      <table role="table" className="w-full border-collapse text-left text-sm">
        <thead className="text-xs text-ink-2">
          <tr>
            {selection && (
              <th scope="col" className="md:w-0">
                <input
                  type="checkbox"
                  aria-label={`Select all ${label.toLowerCase()}`}
                  className={`${TICK} max-md:size-6`}
                  checked={table.getIsAllRowsSelected()}
                  ref={(box) => {
                    if (box) box.indeterminate = table.getIsSomeRowsSelected();
                  }}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                />
              </th>
            )}
            {heads.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} />
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} tabIndex={-1} aria-selected={selection && row.getIsSelected()}>
              {selection && (
                <td data-place="tick">
                  <input
                    type="checkbox"
                    aria-label={`Select ${nameOf(row.original)}`}
                    className={TICK}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </td>
              )}
              {heads.map((column) => (
                <Cell key={column.id} column={column} item={row.original} isChosen={chosen?.has(column.id)} />
              ))}
              {actions && (
                <td data-place="actions" className="text-right whitespace-nowrap">
                  {actions(row.original)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps {
  readonly column: Omit<Column<never>, 'cell'>;
  readonly sorting: Sorting | undefined;
}

/** Sorts: descending first, then ascending. */
function Head({ column: { head, sort, numeric, className = '' }, sorting }: HeadProps) {
  const isSorted = sorting !== undefined && sorting.by === sort;
  const order = sorting?.order === 'desc' ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      aria-sort={isSorted ? order : undefined}
      className={`font-medium whitespace-nowrap ${numeric ? 'text-right' : ''} ${className}`}
    >
      {sorting === undefined || sort === undefined ? (
        head
      ) : (
        <button
          type="button"
          className="hover:text-ink max-md:min-h-6 max-md:min-w-6"
          onClick={() => sorting.onSort(sort)}
        >
          {head}
          <span aria-hidden="true">{isSorted ? (order === 'descending' ? ' ↓' : ' ↑') : ''}</span>
        </button>
      )}
    </th>
  );
}

interface CellProps<Item> {
  readonly column: Column<Item>;
  readonly item: Item;
  readonly isChosen: boolean | undefined;
}

function Cell<Item>({ column, item, isChosen = false }: CellProps<Item>) {
  const { head, cell, place, numeric, minor, className = '' } = column;
  return (
    <td
      data-head={head}
      data-place={place ?? (minor && !isChosen ? 'minor' : undefined)}
      dir={place === 'name' ? 'auto' : undefined}
      className={`${numeric ? 'text-right whitespace-nowrap tabular-nums' : ''} ${className}`}
    >
      {cell(item)}
    </td>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: -Infinity,
  End: Infinity,
};

function listen(box: HTMLElement | null) {
  box?.addEventListener('keydown', moveBetweenRows);
  return () => box?.removeEventListener('keydown', moveBetweenRows);
}

/** Fields in a row keep their keys. */
function moveBetweenRows(event: KeyboardEvent) {
  const target = event.target as HTMLElement;
  if (target.matches('input:not([type=checkbox]), select, textarea') || event.ctrlKey || event.metaKey)
    return;
  const row = target.closest('tbody tr');
  const step = STEPS[event.key];
  if (step !== undefined) {
    const rows = [...target.closest('[role=region]')!.querySelectorAll<HTMLElement>('tbody tr')];
    const at = row === null ? -1 : rows.indexOf(row as HTMLElement);
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
  } else if (row !== target || (event.key !== 'Enter' && event.key !== ' ')) return;
  else row.querySelector<HTMLElement>(event.key === 'Enter' ? 'a[href]' : '[data-place=tick] input')?.click();
  event.preventDefault();
}
