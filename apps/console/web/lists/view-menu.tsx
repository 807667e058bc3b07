// The menu of a list: its columns, and the views that the person saved.
import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { organizationQuery } from '../api/organization.ts';
import { sessionQuery } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/notice.tsx';
import { isShown, type Columns } from '../ui/table.tsx';
import type { Search } from './list-search.ts';
import { deleteView, listViews, NAME_MAX, saveView, type View } from './saved-views.ts';

const ITEM =
  'flex w-full cursor-default items-center gap-2 rounded px-2 py-1 outline-none data-highlighted:bg-surface-3 forced-colors:data-highlighted:outline-2';
const GROUP = 'px-2 pt-2 pb-1 text-xs text-ink-2';

interface ViewMenuProps<Item> {
  readonly label: string;
  readonly columns: Columns<Item>;
  readonly chosen: ReadonlySet<string> | undefined;
}

export function ViewMenu<Item>({ label, columns, chosen }: ViewMenuProps<Item>) {
  const navigate = useNavigate();
  const ids = Object.keys(columns).filter((id) => columns[id]!.place !== 'name');
  const toggle = (id: string, isOn: boolean) => {
    const shown = ids.filter((one) => (one === id ? isOn : isShown(columns, one, chosen)));
    const isUsual = ids.every((one) => shown.includes(one) === isShown(columns, one));
    const chosenNow = isUsual ? undefined : shown.join();
    void navigate({
      to: '.',
      search: (was: object) => ({ ...was, columns: chosenNow }),
      replace: true,
    } as never);
  };
  const [isOpen, setOpen] = useState(false);
  const saved = useSaved(isOpen);
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <Menu.Root open={isOpen} onOpenChange={setOpen}>
        <Menu.Trigger
          className={buttonClass('quiet', 'ml-auto max-sm:grow-0!')}
          aria-label={`View of ${label.toLowerCase()}`}
        >
          View <Icon name="down" size={12} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} className="z-40">
            <Menu.Popup className="max-h-[70dvh] min-w-52 overflow-y-auto rounded-lg border border-line bg-surface p-1 text-sm text-ink shadow-lg outline-none">
              <Menu.Group>
                <Menu.GroupLabel className={GROUP}>Columns</Menu.GroupLabel>
                {ids.map((id) => (
                  <Menu.CheckboxItem
                    key={id}
                    className={ITEM}
                    checked={isShown(columns, id, chosen)}
                    onCheckedChange={(isOn) => toggle(id, isOn)}
                  >
                    <span className="size-4">
                      <Menu.CheckboxItemIndicator>
                        <Icon name="check" />
                      </Menu.CheckboxItemIndicator>
                    </span>
                    {columns[id]!.head}
                  </Menu.CheckboxItem>
                ))}
              </Menu.Group>
              {saved !== null && (
                <Menu.Group>
                  <Menu.GroupLabel className={GROUP}>Saved views</Menu.GroupLabel>
                  {saved.views.map(({ name, path, search }) => (
                    <Menu.LinkItem
                      key={name}
                      className={`${ITEM} max-w-72`}
                      closeOnClick
                      render={<Link to={path} search={search as never} />}
                    >
                      <span className="truncate" dir="auto">
                        {name}
                      </span>
                    </Menu.LinkItem>
                  ))}
                  <Menu.Item className={ITEM} onClick={() => setSaving(true)}>
                    Save this view …
                  </Menu.Item>
                </Menu.Group>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isSaving && saved !== null && <SaveView saved={saved} onClose={() => setSaving(false)} />}
    </>
  );
}

interface Saved {
  readonly organization: string;
  readonly path: string;
  readonly search: Search;
  readonly views: readonly View[];
}

/** Null until the organisation is known, which the first opened menu asks for. */
function useSaved(isOpen: boolean): Saved | null {
  const { pathname: path, search } = useRouterState({ select: (state) => state.location });
  const { data: session } = useQuery(sessionQuery);
  const service = session?.services[0];
  const { data } = useQuery({
    ...organizationQuery(service ?? 'flow-builder'),
    enabled: isOpen && service !== undefined,
  });
  if (data === undefined) return null;
  return { organization: data.id, path, search, views: listViews(data.id, path) };
}

function SaveView({ saved, onClose }: { saved: Saved; onClose: () => void }) {
  const [name, setName] = useState('');
  const [views, setViews] = useState(saved.views);
  const { organization, path, search } = saved;
  return (
    <FormDialog
      title="Save view"
      verb="Save view"
      onClose={onClose}
      onSubmit={() => {
        saveView(organization, { path, name: name.trim(), search: { ...search, cursor: undefined } });
        showToast(`View ${name.trim()} saved`);
        onClose();
      }}
    >
      <TextField
        label="Name"
        hint="Saves filters, order and columns in this browser. To share a view, send its address."
        required
        maxLength={NAME_MAX}
        pattern=".*\S.*"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {views.length > 0 && (
        <ul aria-label="Saved views" className="flex flex-col">
          {views.map((view) => (
            <li key={view.name} className="flex items-center justify-between gap-2">
              <span className="truncate" dir="auto">
                {view.name}
              </span>
              <Button
                kind="quiet"
                aria-label={`Delete view ${view.name}`}
                onClick={() => {
                  deleteView(organization, view);
                  setViews(listViews(organization, path));
                }}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}
