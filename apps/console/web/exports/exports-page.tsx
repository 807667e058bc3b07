// Exports, newest first, with their progress and files.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../lists/list.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import type { Columns } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { exportsQuery, type Export } from './api.ts';
import { toListLink } from './source.ts';
import { Download } from './download.tsx';
import { FORMATS, formatSize } from './formats.ts';

const route = getRouteApi('/shell/exports');

const TONES: Readonly<Record<Export['status'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  ready: 'good',
  failed: 'bad',
};
const number = new Intl.NumberFormat('en');

export function ExportsPage() {
  const { cursor } = route.useSearch();
  const list = useQuery(exportsQuery(cursor));
  return (
    <Page
      title="Exports"
      actions={
        <>
          <Link to="/conversations" className={buttonClass()}>
            View conversations
          </Link>
          <Link to="/deliveries" className={buttonClass()}>
            View deliveries
          </Link>
        </>
      }
    >
      <List
        label="Exports"
        columns={COLUMNS}
        rowId={({ id }) => id}
        list={list}
        empty={{
          icon: 'download',
          title: 'No exports in the last day',
          children:
            'An export is a file of conversations or deliveries (JSON Lines, CSV or vCon). To create one, filter a list and choose Export.',
        }}
      />
    </Page>
  );
}

const COLUMNS: Columns<Export> = {
  state: {
    head: 'State',
    place: 'state',
    cell: ({ status, error, format }) => (
      <>
        <Badge tone={TONES[status]} {...(error ? { title: error } : {})}>
          {status}
        </Badge>
        <span className="block text-xs text-ink-2">{FORMATS[format].label}</span>
      </>
    ),
  },
  contents: {
    head: 'Contents',
    place: 'name',
    className: 'tabular-nums',
    cell: ({ items, of, bytes }) => (
      <>
        {number.format(items)} {of}
        <span className="block text-xs text-ink-2">{formatSize(bytes)}</span>
      </>
    ),
  },
  filter: {
    head: 'Filter',
    className: 'max-w-72',
    cell: (one) => (
      <Link {...toListLink(one)} className={rowLink}>
        {describeFilter(one.filter)}
      </Link>
    ),
  },
  created: { head: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  expires: { head: 'Expires', minor: true, cell: ({ expires_at: at }) => <Time at={at} /> },
  download: {
    head: 'Download',
    cell: (one) => one.status === 'ready' && one.parts > 0 && <Download of={one} />,
  },
};

function describeFilter(filter: Export['filter']): string {
  const members = Object.entries(filter).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name.replaceAll('_', ' ')} ${text}`;
  });
  return members.length === 0 ? 'all' : members.join(', ');
}
