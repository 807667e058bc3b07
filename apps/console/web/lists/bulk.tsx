// What can be done with the selected rows of a list.
import { Toolbar } from '@base-ui/react/toolbar';
import { useState } from 'react';
import type { Scope } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { toMessage } from '../ui/page.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';

export interface Bulk<Item> {
  /** `Revoke` */
  readonly verb: string;
  /** Sessions without it are not offered the action. */
  readonly scope: Scope;
  /** For the confirmation afterwards: `revoked` */
  readonly done: string;
  readonly run: (item: Item) => Promise<unknown>;
  /** Rows that it applies to; others are left as they are. */
  readonly isFor?: (item: Item) => boolean;
  /** The consequences, which the person confirms first. */
  readonly warning?: string;
}

interface BulkBarProps<Item> {
  /** `Webhooks` */
  readonly label: string;
  readonly selected: readonly Item[];
  readonly bulk: readonly Bulk<Item>[];
  /** With the rows that failed, which stay selected. */
  readonly onDone: (failed: readonly Item[]) => void;
}

export function BulkBar<Item>({ label, selected, bulk, onDone }: BulkBarProps<Item>) {
  const [asked, setAsked] = useState<Bulk<Item> | null>(null);
  const run = useAction((action: Bulk<Item>) => runOneByOne(action, selected), {
    says: ({ count, failed, reason }, { done }) => {
      const words = `${formatCount(count, label)} ${done}`;
      return failed.length === 0 ? words : `${words}, ${failed.length} failed: ${toMessage(reason)}`;
    },
    then: ({ failed }) => {
      setAsked(null);
      onDone(failed);
    },
  });
  const begin = (action: Bulk<Item>) =>
    action.warning === undefined ? run.mutate(action) : setAsked(action);
  return (
    <Toolbar.Root
      aria-label={`Selected ${label.toLowerCase()}`}
      className="flex flex-wrap items-center gap-2 rounded-lg bg-accent-soft px-3 py-1.5"
    >
      <span role="status" className="font-medium">
        {selected.length} selected
      </span>
      {bulk.map((action) => (
        <Toolbar.Button
          key={action.verb}
          className={buttonClass(action.warning === undefined ? 'plain' : 'danger')}
          disabled={run.isPending || !selected.some((item) => isFor(action, item))}
          onClick={() => begin(action)}
        >
          {action.verb}
        </Toolbar.Button>
      ))}
      <Toolbar.Button className={buttonClass('quiet')} onClick={() => onDone([])}>
        Clear selection
      </Toolbar.Button>
      {asked !== null && (
        <Confirm
          title={`${asked.verb} ${formatCount(selected.filter((item) => isFor(asked, item)).length, label)}?`}
          open
          onClose={() => setAsked(null)}
          verb={asked.verb}
          mutation={run}
          onConfirm={() => run.mutate(asked)}
        >
          <p>{asked.warning}</p>
        </Confirm>
      )}
    </Toolbar.Root>
  );
}

const isFor = <Item,>({ isFor: applies }: Bulk<Item>, item: Item) => applies?.(item) ?? true;

/** One request at a time, so that a long selection does not use up the limit of requests. */
async function runOneByOne<Item>(action: Bulk<Item>, items: readonly Item[]) {
  const failed: Item[] = [];
  let count = 0;
  let reason: unknown;
  for (const item of items.filter((one) => isFor(action, one)))
    try {
      await action.run(item);
      count++;
    } catch (error) {
      failed.push(item);
      reason = error;
    }
  return { count, failed, reason };
}

/** `1 webhook`, `3 deliveries`; `label` is the plural. */
function formatCount(count: number, label: string): string {
  const many = label.toLowerCase();
  return `${count} ${count === 1 ? many.replace(/ies$/, 'y').replace(/s$/, '') : many}`;
}
