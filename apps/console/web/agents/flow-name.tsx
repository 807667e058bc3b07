// The flow of an agent by its name, with the version that it runs.
import { Link } from '@tanstack/react-router';
import { rowLink } from '../ui/link.ts';
import type { Agent } from './api.ts';
import { useKnownFlows } from './health.tsx';

export function FlowName({ agent: { flow_id, flow_version } }: { agent: Agent }) {
  const findFlow = useKnownFlows();
  if (flow_id === null) return <span className="text-ink-2">No flow</span>;
  const flow = findFlow(flow_id);
  const published = flow?.published_version ?? null;
  const version =
    flow_version === null
      ? published === null
        ? flow == null
          ? ''
          : 'nothing published'
        : `published v${published}`
      : `always v${flow_version}${published === null || published === flow_version ? '' : `, published v${published}`}`;
  return (
    <>
      <Link
        to="/flows/$flowId"
        params={{ flowId: flow_id }}
        search={{ panel: 'versions' }}
        className={`block truncate ${rowLink}`}
        dir="auto"
      >
        {flow?.name ?? flow_id}
      </Link>
      <span className="block text-xs text-ink-2">{version}</span>
    </>
  );
}
