// Tabs that are links.
import { Link } from '@tanstack/react-router';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly {
    readonly key: string;
    readonly label: string;
    readonly search: Record<string, unknown>;
  }[];
  readonly current: string;
}

export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-x-1 border-b border-line">
      {tabs.map(({ key, label: words, search }) => (
        <Link
          key={key}
          to="."
          search={search as never}
          // The router ignores parameters that the link does not name, so `current` decides which
          // tab is open.
          activeOptions={{ exact: true, includeSearch: true }}
          data-open={key === current}
          className="-mb-px border-b-2 border-transparent px-2 py-1.5 whitespace-nowrap text-ink-2 hover:text-ink data-[open=true]:border-accent data-[open=true]:font-medium data-[open=true]:text-ink"
        >
          {words}
        </Link>
      ))}
    </nav>
  );
}
