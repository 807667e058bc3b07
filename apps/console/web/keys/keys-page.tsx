// The API keys of a service.
import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SERVICES, type Service } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { Actor, useNames } from '../organization/actor.tsx';
import { NoAccess, useAccess } from '../session/access.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { Pager } from '../ui/pager.tsx';
import { Cell, Row, Table, WIDE } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { toDate, Time, useNowMs } from '../ui/time.tsx';
import { keyApi, type Key } from './api.ts';
import { ImportTokens } from './import-tokens.tsx';
import { CreateKey, RevokeKey, RotateKey } from './key-dialogs.tsx';

const route = getRouteApi('/shell/keys');

type OpenDialog = { readonly to: 'create' } | { readonly to: 'rotate' | 'revoke'; readonly key: Key };

export function KeysPage() {
  const { service = 'flow-builder', cursor } = route.useSearch();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const accessTo = useAccess();
  const access = accessTo(service);
  const keys = useQuery({
    queryKey: ['keys', service, cursor],
    queryFn: () => keyApi[service].list(cursor),
    enabled: access === 'signed_in',
  });
  const close = () => setDialog(null);
  return (
    <Page
      title="API keys"
      actions={
        access === 'signed_in' && (
          <>
            <a href={`/api/${service}/docs`} target="_blank" rel="noreferrer" className={buttonClass()}>
              API reference <span className="sr-only">in a new tab</span>
              <Icon name="external" size={12} />
            </a>
            <Button kind="primary" icon="plus" onClick={() => setDialog({ to: 'create' })}>
              Create key
            </Button>
          </>
        )
      }
    >
      <Tabs
        label="Services"
        current={service}
        tabs={SERVICES.map((key) => ({ key, label: SERVICE_LABELS[key], search: { service: key } }))}
      />
      {access !== 'signed_in' && <NoAccess service={service} access={access} icon="keys" />}
      {keys.isLoading && <Loading subject="keys" />}
      {keys.error && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data?.items.length === 0 && (
        <Empty icon="keys" title="No keys yet">
          Programs send an API key in the Authorization header to call the {SERVICE_LABELS[service]}. Create a
          key to start.
        </Empty>
      )}
      {keys.data && keys.data.items.length > 0 && (
        <Table
          label="Keys"
          head={[
            'Name',
            { label: 'Key', className: WIDE },
            { label: 'Scopes', className: WIDE },
            'Last used',
            { label: 'Created', className: WIDE },
            { label: 'Expires', className: WIDE },
            '',
          ]}
        >
          {keys.data.items.map((key) => (
            <KeyRow key={key.id} service={service} value={key} ask={(to) => setDialog({ to, key })} />
          ))}
        </Table>
      )}
      <Pager cursor={cursor} next={keys.data?.next_cursor ?? null} />
      {/* Both lists need the scope `admin`: one refusal is enough. */}
      {service === 'voice-api' && keys.data && <ImportTokens />}
      {dialog?.to === 'create' && <CreateKey service={service} onClose={close} />}
      {dialog?.to === 'rotate' && <RotateKey service={service} value={dialog.key} onClose={close} />}
      {dialog?.to === 'revoke' && <RevokeKey service={service} value={dialog.key} onClose={close} />}
    </Page>
  );
}

interface KeyRowProps {
  readonly service: Service;
  readonly value: Key;
  readonly ask: (to: 'rotate' | 'revoke') => void;
}

function KeyRow({ service, value, ask }: KeyRowProps) {
  const names = useNames(service);
  const { name, display, scopes, created_at, created_by, expires_at, last_used_at, rotated_to } = value;
  const from = value.allowed_ips;
  const bots = 'bot_ids' in value ? value.bot_ids : [];
  const nowMs = useNowMs();
  const over = expires_at !== null && toDate(expires_at).getTime() <= nowMs;
  return (
    <Row>
      <Cell className="min-w-24 font-medium break-words">
        {name}{' '}
        {rotated_to !== null && (
          <Badge title={`Replaced by ${names.get(rotated_to) ?? rotated_to}`}>replaced</Badge>
        )}
      </Cell>
      <Cell className={WIDE}>
        <code className="font-mono text-xs whitespace-nowrap text-ink-2">{display}</code>
      </Cell>
      <Cell className={`whitespace-nowrap ${WIDE}`}>
        {scopes.join(', ')}
        {from.length > 0 && (
          <span title={from.join('\n')} className="block max-w-48 truncate font-mono text-xs text-ink-2">
            from {from.join(', ')}
          </span>
        )}
        {bots.length > 0 && (
          <span title={bots.join('\n')} className="block max-w-48 truncate font-mono text-xs text-ink-2">
            bots {bots.join(', ')}
          </span>
        )}
      </Cell>
      <Cell>
        {last_used_at === null ? <span className="text-ink-2">never</span> : <Time at={last_used_at} />}
      </Cell>
      <Cell className={WIDE}>
        <Time at={created_at} />
        <span className="block max-w-40 truncate text-xs">
          by <Actor service={service} id={created_by} />
        </span>
      </Cell>
      <Cell className={WIDE}>
        {expires_at === null ? (
          <span className="text-ink-2">–</span>
        ) : over ? (
          <Badge tone="bad">expired</Badge>
        ) : (
          <Time at={expires_at} />
        )}
      </Cell>
      <Cell className="py-0!">
        <div className="flex flex-wrap justify-end">
          <Button
            kind="quiet"
            disabled={over || rotated_to !== null}
            onClick={() => ask('rotate')}
            aria-label={`Rotate ${name}`}
          >
            Rotate
          </Button>
          <Button kind="quiet" onClick={() => ask('revoke')} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        </div>
      </Cell>
    </Row>
  );
}
