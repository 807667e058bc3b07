// The trace of a turn: nodes, tried edges with their comparisons, and decisions.
import { Fragment } from 'react';
import type { TraceEdge, TraceStep } from '@parley/flow-engine';
import { ownNode } from '../../engine/called.ts';
import { comparisonWords } from '../../engine/condition-words.ts';
import { shownValue } from '../../engine/shown.ts';
import { revealNode } from '../canvas/view.ts';
import { Words } from '../words.tsx';

interface TraceProps {
  readonly steps: readonly TraceStep[];
  /** Called with a clicked node. Default: select it on the canvas. */
  readonly onNode?: (id: string) => void;
}

export function Trace({ steps, onNode = revealNode }: TraceProps) {
  return (
    <ol className="flex flex-col gap-1.5">
      {steps.map((step, at) => (
        <li key={at} className="border-l-2 border-line pl-2">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-xs text-ink-2 tabular-nums">{at + 1}</span>
            <button
              type="button"
              className="font-mono text-xs text-accent hover:underline"
              onClick={() => onNode(ownNode(step.nodeId))}
            >
              {step.nodeId}
            </button>
            <span className="text-xs text-ink-2">{step.why}</span>
          </p>
          {step.input !== null && (
            <p className="text-xs">
              Answer: <b className="font-medium">{step.input.status}</b>
              {step.input.reason !== null && ` (${step.input.reason})`}
              {step.input.examples !== undefined &&
                `, ${step.input.examples.by === 'example' ? 'equal to' : 'like'} “${step.input.examples.nearest}”`}
              {step.input.attempts > 0 && `, attempt ${step.input.attempts}`}
            </p>
          )}
          {step.result !== undefined && (
            <p className="text-xs">
              Result: <b className="font-medium">{step.result.status}</b>
              {step.result.reason !== null && ` (${step.result.reason})`}
              {step.result.missing !== undefined && `: ${step.result.missing}`}
            </p>
          )}
          {step.command !== undefined && (
            <p className="text-xs">
              Command: <b className="font-mono font-medium">{step.command}</b>
            </p>
          )}
          {step.extraction !== null && (
            <p className="text-xs">
              Extracted: {step.extraction.unavailable ?? (step.extraction.merged.join(', ') || 'nothing')}
              {step.extraction.rejected.length > 0 && `; rejected ${step.extraction.rejected.join(', ')}`}
            </p>
          )}
          {step.classifier !== null && (
            <p className="text-xs">
              Classifier: {step.classifier.outcome}
              {step.classifier.failure !== undefined && ` (${step.classifier.failure})`}
              {step.classifier.confidence !== null && `, confidence ${step.classifier.confidence}`}
            </p>
          )}
          {step.agent !== undefined && (
            <p className="text-xs">
              Agent: {step.agent.status}
              {step.agent.failure !== undefined && ` (${step.agent.failure})`}
            </p>
          )}
          {step.edges.length > 0 && (
            <ul>
              {step.edges.map((edge) => (
                <Tried key={edge.edgeIndex} edge={edge} isTaken={edge.edgeIndex === step.edgeIndex} />
              ))}
            </ul>
          )}
          {step.edgesOmitted > 0 && (
            <p className="text-xs text-ink-2">{step.edgesOmitted} more edges tried.</p>
          )}
          {(step.sets ?? []).map(({ variable, op, value, note }, place) => (
            <p key={place} className="font-mono text-xs">
              {variable} {op} {shownValue(value)}
              {note !== null && <span className="text-warn"> {note}</span>}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}

function Tried({ edge, isTaken }: { readonly edge: TraceEdge; readonly isTaken: boolean }) {
  const { kind, nl, target, result } = edge;
  const { all, any } = edge as Joint;
  const comparisons = all ?? any ?? [edge];
  const joined = any === undefined ? 'and' : 'or';
  return (
    <li className={`grid grid-cols-[1rem_1fr] text-xs ${isTaken ? 'text-good' : result ? '' : 'text-ink-2'}`}>
      <span role="img" aria-label={isTaken ? 'taken' : result ? 'true' : 'false'}>
        {result ? '✓' : '✗'}
      </span>
      <span className="min-w-0 break-words">
        {kind === 'deterministic' &&
          comparisons.map((comparison, at) => (
            <Fragment key={at}>
              {at > 0 && ` ${joined} `}
              <Compared {...comparison} />
            </Fragment>
          ))}
        {kind === 'nl' && `“${nl ?? ''}”`}
        {kind === 'default' && 'otherwise'}
        {isTaken && (
          <>
            {' → '}
            <code className="font-mono">{target}</code>
          </>
        )}
      </span>
    </li>
  );
}

type Comparison = Pick<TraceEdge, 'variable' | 'op' | 'actual' | 'expected' | 'note'>;
/** An edge with several comparisons. */
interface Joint {
  readonly all?: readonly Comparison[];
  readonly any?: readonly Comparison[];
}

function Compared({ variable, op, actual, expected, note }: Comparison) {
  const isMissing = actual === null || actual === undefined;
  return (
    <>
      <Words as="em" text={comparisonWords({ variable, op, value: expected ?? undefined })} />
      {` (it was ${isMissing ? 'missing' : shownValue(actual)}${note != null ? `; ${note}` : ''})`}
    </>
  );
}
