// Edits the call of another flow: flow, version, input and output.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Finding } from '../../engine/check.ts';
import { flowsQuery } from '../api.ts';
import { useFlow } from '../document/flow-store.ts';
import {
  FlagControl,
  JsonControl,
  LineControl,
  Problem,
  WordsControl,
  type ControlProps,
} from '../controls/controls.tsx';
import { problemAt } from './findings-at.ts';
import { MapControl } from './map-control.tsx';

interface CallControlProps extends ControlProps<unknown> {
  readonly path: string;
  readonly findings: readonly Finding[];
}

export function CallControl({ path, findings, ...given }: CallControlProps) {
  const { label, value, onChange } = given;
  const own = useFlow((state) => state.flowId);
  const flows = useInfiniteQuery(flowsQuery({})).data?.pages.flatMap(({ items }) => items) ?? [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return <JsonControl {...given} />;
  const call = value as Readonly<Record<string, unknown>>;
  const { flow_id: flowId, version, input, output } = call;
  const put = (member: string, next: unknown) => {
    const { [member]: _old, ...others } = call;
    onChange(next === undefined ? others : { ...call, [member]: next });
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-2.5 py-2">
      <legend className="px-1 text-xs font-medium text-ink-2">{label}</legend>
      <div className="grid grid-cols-[1fr_7rem] gap-2">
        <LineControl
          label="Flow"
          value={flowId}
          list={flows.map(({ flow_id }) => flow_id).filter((id) => id !== own)}
          onChange={(next) => put('flow_id', next ?? '')}
        />
        <LineControl
          label="Version"
          value={version}
          list={['published']}
          onChange={(next) => put('version', readVersion(next))}
        />
      </div>
      <MapControl
        label="Input"
        nameLabel="Variable"
        hint="Variables to set before the called flow starts. Values are templates."
        value={input}
        onChange={(next) => put('input', next)}
      />
      <FlagControl
        label="Return all variables"
        value={output == null}
        onChange={(next) => put('output', next === true ? undefined : [])}
      />
      {output != null && (
        <WordsControl
          label="Output"
          hint="Variables to return, one per line. All others are cleared."
          value={output}
          onChange={(next) => put('output', next ?? [])}
        />
      )}
      {typeof flowId === 'string' && flowId !== '' && (
        <a
          href={`/flows/${encodeURIComponent(flowId)}`}
          target="_blank"
          rel="noreferrer"
          className="self-start text-xs text-accent hover:underline"
        >
          Open {flowId}
        </a>
      )}
      <Problem {...problemAt(findings, path)} />
    </fieldset>
  );
}

const readVersion = (typed: unknown): unknown =>
  typeof typed === 'string' && /^[1-9]\d*$/.test(typed) ? Number(typed) : (typed ?? 'published');
