// The API keys of a service.
import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SERVICES, type Service } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { Actor, useNames } from '../organization/actor.tsx';
import { List } from '../lists/list.tsx';
import { NoAccess, NotAllowed, useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { Badge, DeclaredBadge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Page } from '../ui/page.tsx';
import type { Columns } from '../ui/table.tsx';
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
  const mayOpen = useMayOpen();
  const isAllowed = mayOpen({ service, scope: 'admin' });
  const isOpen = access === 'signed_in' && isAllowed === true;
  const keys = useQuery({
    queryKey: ['keys', service, cursor],
    queryFn: () => keyApi[service].list(cursor),
    enabled: isOpen,
  });
  const names = useNames(service);
  const nowMs = useNowMs();
  const close = () => setDialog(null);
  return (
    <Page
      title="API keys"
      actions={
        isOpen && (
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
      {access === 'signed_in' && isAllowed === false && <NotAllowed scope="admin" icon="keys" />}
      {isOpen && (
        <List
          label="Keys"
          service={service}
          columns={toColumns(service, names, nowMs)}
          rowId={({ id }) => id}
          list={keys}
          nameOf={({ name }) => name}
          actions={[
            {
              verb: 'Rotate',
              scope: 'admin',
              isFor: (key) => !isOver(key, nowMs) && key.rotated_to === null,
              run: (key) => setDialog({ to: 'rotate', key }),
            },
            { verb: 'Revoke', scope: 'admin', run: (key) => setDialog({ to: 'revoke', key }) },
          ]}
          bulk={[
            {
              verb: 'Revoke',
              scope: 'admin',
              done: 'revoked',
              warning: 'Programs that use these keys are refused immediately. This cannot be undone.',
              run: ({ id }) => keyApi[service].revoke(id),
            },
          ]}
          empty={{
            icon: 'keys',
            title: 'No keys yet',
            children: `Programs send an API key in the Authorization header to call the ${SERVICE_LABELS[service]}. Create a key to start.`,
          }}
        />
      )}
      {/* Both lists need the scope `admin`: one refusal is enough. */}
      {service === 'voice-api' && keys.data && <ImportTokens />}
      {dialog?.to === 'create' && <CreateKey service={service} onClose={close} />}
      {dialog?.to === 'rotate' && <RotateKey service={service} value={dialog.key} onClose={close} />}
      {dialog?.to === 'revoke' && <RevokeKey service={service} value={dialog.key} onClose={close} />}
    </Page>
  );
}

const isOver = ({ expires_at: at }: Key, nowMs: number): boolean =>
  at !== null && toDate(at).getTime() <= nowMs;

const toColumns = (service: Service, names: ReadonlyMap<string, string>, nowMs: number): Columns<Key> => ({
  name: {
    head: 'Name',
    place: 'name',
    className: 'font-medium break-words md:min-w-24',
    cell: ({ name, rotated_to: next, external_id: declared }) => (
      <>
        {name} {next !== null && <Badge title={`Replaced by ${names.get(next) ?? next}`}>replaced</Badge>}
        <DeclaredBadge id={declared} />
      </>
    ),
  },
  key: {
    head: 'Key',
    minor: true,
    cell: ({ display }) => <code className="font-mono text-xs whitespace-nowrap text-ink-2">{display}</code>,
  },
  scopes: {
    head: 'Scopes',
    className: 'md:whitespace-nowrap',
    cell: (key) => (
      <>
        {key.scopes.join(', ')}
        <Limit words="from" to={key.allowed_ips} />
        <Limit words="agents" to={'bot_ids' in key ? key.bot_ids : []} />
      </>
    ),
  },
  used: {
    head: 'Last used',
    cell: ({ last_used_at: at }) =>
      at === null ? <span className="text-ink-2">never</span> : <Time at={at} />,
  },
  created: {
    head: 'Created',
    minor: true,
    cell: ({ created_at: at, created_by: by }) => (
      <>
        <Time at={at} />
        <span className="block max-w-40 truncate text-xs">
          by <Actor service={service} id={by} />
        </span>
      </>
    ),
  },
  expires: {
    head: 'Expires',
    minor: true,
    cell: (key) =>
      key.expires_at === null ? (
        '–'
      ) : isOver(key, nowMs) ? (
        <Badge tone="bad">expired</Badge>
      ) : (
        <Time at={key.expires_at} />
      ),
  },
});

/** What a key is limited to. */
const Limit = ({ words, to }: { words: string; to: readonly string[] }) =>
  to.length > 0 && (
    <span title={to.join('\n')} className="block max-w-48 truncate font-mono text-xs text-ink-2">
      {words} {to.join(', ')}
    </span>
  );
