// How a voice platform talks to an agent: three settings, and a snippet for each platform.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermissions } from '../../session/scopes.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CodeBlock, CopyButton } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import { Tabs } from '../../ui/tabs.tsx';
import type { Agent } from '../api.ts';
import { PLATFORMS, type Platform } from '../page-search.ts';
import { SNIPPETS } from './snippets.ts';

const ADDRESS = 'https://flows.example.com';
/** This browser remembers the address: it is the same for all agents. */
const STORED_AS = 'flow builder address';

export function Connect({ agent, platform }: { agent: Agent; platform: Platform }) {
  const [typed, setTyped] = useState(() => localStorage.getItem(STORED_AS) ?? '');
  if (agent.flow_id === null)
    return (
      <Empty icon="external" title="This agent has no flow">
        <p>Voice platforms talk to the flow of an agent. Choose one first.</p>
        <Link
          to="/agents/$agentId"
          params={{ agentId: agent.id }}
          search={{ tab: 'settings' }}
          className={buttonClass()}
        >
          Open settings
        </Link>
      </Empty>
    );
  const address = typed.trim().replace(/\/+$/, '') || ADDRESS;
  const model = agent.flow_version === null ? agent.flow_id : `${agent.flow_id}@${agent.flow_version}`;
  return (
    <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="flex min-w-0 flex-col gap-3">
        <Tabs
          label="Voice platforms"
          current={platform}
          tabs={PLATFORMS.map((key) => ({
            key,
            label: SNIPPETS[key].label,
            search: { tab: 'connect', platform: key },
          }))}
        />
        <p>{SNIPPETS[platform].where}</p>
        <CodeBlock
          isProgram
          text={SNIPPETS[platform].code({ address, model, agentId: agent.id })}
          label={`the snippet for ${SNIPPETS[platform].label}`}
        />
        <p className="text-ink-2">{SNIPPETS[platform].notes}</p>
      </div>
      <aside aria-label="What every platform needs" className="flex flex-col gap-5">
        <TextField
          label="Address of your flow builder"
          hint="The public one, which your platform can reach"
          type="url"
          placeholder={ADDRESS}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            localStorage.setItem(STORED_AS, target.value);
          }}
        />
        <Needed baseUrl={`${address}/openai/v1`} model={model} />
      </aside>
    </div>
  );
}

function Needed({ baseUrl, model }: { baseUrl: string; model: string }) {
  const { can } = usePermissions('flow-builder');
  return (
    <Section title="What every platform needs">
      <dl className="flex flex-col gap-3">
        <Setting name="Base URL" value={baseUrl} />
        <Setting name="Model" value={model} />
        <div>
          <dt className="text-ink-2">API key</dt>
          <dd>
            A key of Flow builder with the scope <Badge>read</Badge>.{' '}
            {can('admin') && (
              <Link to="/keys" search={{ service: 'flow-builder' }} className={rowLink}>
                Create a key
              </Link>
            )}
          </dd>
        </div>
      </dl>
    </Section>
  );
}

function Setting({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-ink-2">{name}</dt>
      <dd className="flex items-center gap-1">
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{value}</code>
        <CopyButton text={value} label={name === 'Model' ? 'the model' : 'the base URL'} />
      </dd>
    </div>
  );
}
