// An edge on the canvas: its line, and a label with its position and condition.
import { memo } from 'react';
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { Words, plainWords } from '../words.tsx';
import { edgeRoute, portRoute } from './edge-route.ts';
import type { LineData, LineEdge } from './scene.ts';

export const Line = memo(function Line({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
  selected,
  markerEnd,
}: EdgeProps<LineEdge>) {
  if (data === undefined) return null;
  const { place, of, row, lane, note } = data;
  // The row of a choice already says its condition.
  const says = row === null ? data.says : '';
  const [from, to] = [
    { x: sourceX, y: sourceY },
    { x: targetX, y: targetY },
  ];
  const route =
    row === null
      ? edgeRoute(from, to, place, of, lane)
      : portRoute(from, to, { row, rows: data.rows, drop: data.drop }, lane);
  const state = stateOf(data);
  return (
    <>
      <BaseEdge
        path={route.path}
        className="flow-line"
        interactionWidth={16}
        data-kind={data.kind}
        data-state={state}
        data-tone={data.tone ?? undefined}
        data-selected={selected || undefined}
        {...(data.width === null ? {} : { style: { strokeWidth: data.width } })}
        {...(markerEnd === undefined ? {} : { markerEnd })}
      />
      {((row === null && of > 1) || says !== '' || note !== '' || data.neverTaken !== null) && (
        <EdgeLabelRenderer>
          <div
            className="flow-line-label"
            data-kind={data.kind}
            data-state={state}
            data-tone={data.tone ?? undefined}
            data-selected={selected || undefined}
            title={data.neverTaken ?? plainWords(data.says)}
            style={{ transform: `translate(-50%, -50%) translate(${route.labelX}px, ${route.labelY}px)` }}
          >
            {row === null && of > 1 && <b>{place + 1}</b>}
            {says !== '' && (
              <span>
                <Words as="em" text={says} />
              </span>
            )}
            {data.kind === 'default' && of > 1 && <span>otherwise</span>}
            {data.neverTaken !== null && <i>never taken</i>}
            {note !== '' && <em>{note}</em>}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

function stateOf({
  isInSilentCycle,
  neverTaken,
  isTaken,
  isOnPath,
  isRefused,
  difference,
}: LineData): string | undefined {
  if (difference !== null) return difference;
  if (isTaken) return 'taken';
  if (isInSilentCycle) return 'silent';
  if (isOnPath) return 'path';
  if (neverTaken !== null) return 'never';
  return isRefused ? 'refused' : undefined;
}
