// All findings, worst first. A row leads to its node or edge.
import { useMemo, useState } from 'react';
import type { Severity } from '@parley/flow-analysis';
import type { Finding } from '../../engine/check.ts';
import { revealEdge, revealNode } from '../canvas/view.ts';
import { edgesOf, nodeById } from '../document/doc.ts';
import { Words } from '../words.tsx';
import { showPath, useFlow } from '../document/flow-store.ts';
import { Sign } from './finding-list.tsx';

const SEVERITIES: readonly { readonly severity: Severity; readonly label: string }[] = [
  { severity: 'error', label: 'Errors' },
  { severity: 'warning', label: 'Warnings' },
  { severity: 'info', label: 'Infos' },
];

export function ProblemsPanel() {
  const findings = useFlow((state) => state.checked?.findings);
  const [hidden, setHidden] = useState<readonly Severity[]>([]);
  const shown = useMemo(
    () => (findings ?? []).filter(({ severity }) => !hidden.includes(severity)),
    [findings, hidden],
  );
  if (findings === undefined) return <p className="text-ink-2">Checking …</p>;
  if (findings.length === 0)
    return <p className="text-ink-2">No problems. Parley checks the flow as you type.</p>;
  return (
    <div className="flex flex-col gap-2">
      <div role="group" aria-label="Show" className="flex gap-1">
        {SEVERITIES.map(({ severity, label }) => (
          <button
            key={severity}
            type="button"
            aria-pressed={!hidden.includes(severity)}
            className="flex h-6 items-center gap-1.5 rounded border border-line px-2 text-xs text-ink-2 aria-pressed:bg-surface-2 aria-pressed:text-ink"
            onClick={() =>
              setHidden((before) =>
                before.includes(severity) ? before.filter((one) => one !== severity) : [...before, severity],
              )
            }
          >
            <Sign severity={severity} />
            {label} {findings.filter((finding) => finding.severity === severity).length}
          </button>
        ))}
      </div>
      <ul className="-mx-3 flex flex-col">
        {shown.map((finding, at) => (
          <li key={`${finding.code} ${finding.path} ${at}`}>
            <button
              type="button"
              className="grid w-full grid-cols-[1rem_1fr] px-3 py-1.5 text-left hover:bg-surface-2"
              onClick={() => goTo(finding)}
            >
              <Sign severity={finding.severity} />
              <span>
                <Words text={finding.message} />
                <span className="block text-xs text-ink-2">
                  <Words text={finding.hint} />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function goTo({ nodeId, edgeIndex, witness }: Finding): void {
  const { doc } = useFlow.getState();
  const edge = edgeIndex === null ? undefined : edgesOf(doc.flow)[edgeIndex];
  if (edgeIndex !== null && edge !== undefined) revealEdge(edgeIndex, edge.source);
  else if (nodeId !== null && nodeById(doc, nodeId) !== undefined) revealNode(nodeId);
  showPath(witness);
}
