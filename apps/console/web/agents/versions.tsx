// The versions of an agent: what changed in each, and the way back.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Time } from '../ui/time.tsx';
import { AGENTS, updateAgent, versionsQuery, type Agent } from './api.ts';
import { diffAgents, type SettingChange } from './describe.rules.ts';
import { toRestored } from './form/form.rules.ts';

export function Versions({ agent }: { agent: Agent }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(versionsQuery(agent.id));
  const { can } = usePermissions('voice-api');
  const [chosen, setChosen] = useState<Agent | null>(null);
  const versions = data?.pages.flatMap(({ items }) => items) ?? [];
  const mayRestore = can('write') && agent.status !== 'archived';
  return (
    <>
      <ol aria-label="Versions" className="flex max-w-3xl flex-col divide-y divide-line">
        {versions.map((version, at) => (
          <li key={version.version} className="flex flex-col gap-2 py-4 first:pt-0">
            <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
              <h2 className="font-semibold">Version {version.version}</h2>
              {at === 0 && <Badge tone="good">current</Badge>}
              <span className="text-ink-2">
                <Time at={version.updated_at} />
              </span>
              {at > 0 && mayRestore && diffSettings(agent, version).length > 0 && (
                <Button className="ml-auto" onClick={() => setChosen(version)}>
                  Restore version {version.version}
                </Button>
              )}
            </div>
            <WhatChanged version={version} before={versions[at + 1]} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button className="self-start" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older versions
        </Button>
      )}
      {chosen && <RestoreVersion agent={agent} version={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

/** What restoring would change: a restored version keeps the status of the agent. */
const diffSettings = (agent: Agent, version: Agent): SettingChange[] =>
  diffAgents(agent, { ...version, status: agent.status });

function WhatChanged({ version, before }: { version: Agent; before: Agent | undefined }) {
  if (before === undefined)
    return version.version === 1 ? <p className="text-ink-2">The agent was created.</p> : null;
  const changes = diffAgents(before, version);
  return changes.length === 0 ? (
    <p className="text-ink-2">Saved without a change.</p>
  ) : (
    <Changes changes={changes} />
  );
}

export function Changes({ changes }: { changes: readonly SettingChange[] }) {
  return (
    <dl className="flex flex-col gap-1.5">
      {changes.map(({ label, before, after }) => (
        <div key={label} className="grid gap-x-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
          <dt className="text-ink-2">{label}</dt>
          <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2" dir="auto">
            <Value text={before} isOld />
            <span aria-label="changed to" role="img" className="text-ink-2">
              →
            </span>
            <Value text={after} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ text, isOld = false }: { text: string; isOld?: boolean }) {
  if (text === '') return <span className="text-ink-2">not set</span>;
  const looks = isOld ? 'text-bad line-through decoration-1' : 'text-good';
  return (
    <span className={`max-h-40 overflow-y-auto wrap-anywhere whitespace-pre-wrap ${looks}`}>{text}</span>
  );
}

interface RestoreVersionProps {
  readonly agent: Agent;
  readonly version: Agent;
  readonly onClose: () => void;
}

function RestoreVersion({ agent, version, onClose }: RestoreVersionProps) {
  const restore = useAction(() => updateAgent(agent, toRestored(version)), {
    says: (restored) => `Version ${version.version} restored as version ${restored.version}`,
    reloads: AGENTS,
    then: onClose,
  });
  return (
    <Confirm
      title={`Restore version ${version.version}?`}
      open
      onClose={onClose}
      verb="Restore version"
      mutation={restore}
      onConfirm={() => restore.mutate(undefined)}
    >
      <p>Its settings become version {agent.version + 1}. No version is lost.</p>
      <Changes changes={diffSettings(agent, version)} />
    </Confirm>
  );
}
