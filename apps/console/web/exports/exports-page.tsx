// Exports, newest first, with their progress and files.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Badge, type Tone } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, rowLink, Table, WIDE } from '../ui/table.tsx';
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
      {list.isPending && <Loading subject="exports" />}
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.items.length === 0 && (
        <Empty icon="download" title="No exports in the last day">
          An export is a file of conversations or deliveries (JSON Lines, CSV or vCon). To create one, filter
          a list and choose Export.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <Table
          label="Exports"
          head={[
            'State',
            'Contents',
            { label: 'Filter', className: WIDE },
            { label: 'Created', className: WIDE },
            { label: 'Expires', className: WIDE },
            '',
          ]}
        >
          {list.data.items.map((one) => (
            <ExportRow key={one.id} one={one} />
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={list.data?.next_cursor ?? null} />
    </Page>
  );
}

function ExportRow({ one }: { one: Export }) {
  const { of, status, error, format, items, bytes, parts, created_at, expires_at } = one;
  return (
    <Row>
      <Cell>
        <Badge tone={TONES[status]} {...(error ? { title: error } : {})}>
          {status}
        </Badge>
        <span className="block text-xs text-ink-2">{FORMATS[format].label}</span>
      </Cell>
      <Cell className="tabular-nums">
        {number.format(items)} {of}
        <span className="block text-xs text-ink-2">{formatSize(bytes)}</span>
      </Cell>
      <Cell className={`max-w-72 ${WIDE}`}>
        <Link {...toListLink(one)} className={rowLink}>
          {describeFilter(one.filter)}
        </Link>
      </Cell>
      <Cell className={WIDE}>
        <Time at={created_at} />
      </Cell>
      <Cell className={WIDE}>
        <Time at={expires_at} />
      </Cell>
      <Cell className="text-right">{status === 'ready' && parts > 0 && <Download of={one} />}</Cell>
    </Row>
  );
}

function describeFilter(filter: Export['filter']): string {
  const members = Object.entries(filter).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name.replaceAll('_', ' ')} ${text}`;
  });
  return members.length === 0 ? 'all' : members.join(', ');
}
