// An edge on the canvas: its line, and a label with its position and condition.
import { memo } from 'react';
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { edgeRoute } from './edge-route.ts';
import type { LineData, LineEdge } from './scene.ts';

/** Longer conditions are cut; the inspector shows all of it. */
const SHOWN_CHARACTERS = 28;

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
  const { place, of, lane, says, note } = data;
  const route = edgeRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, place, of, lane);
  const short = says.length > SHOWN_CHARACTERS ? `${says.slice(0, SHOWN_CHARACTERS)}…` : says;
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
      {(of > 1 || short !== '' || note !== '' || data.neverTaken !== null) && (
        <EdgeLabelRenderer>
          <div
            className="flow-line-label"
            data-kind={data.kind}
            data-state={state}
            data-tone={data.tone ?? undefined}
            data-selected={selected || undefined}
            title={data.neverTaken ?? says}
            style={{ transform: `translate(-50%, -50%) translate(${route.labelX}px, ${route.labelY}px)` }}
          >
            {of > 1 && <b>{place + 1}</b>}
            {short !== '' && <span>{short}</span>}
            {data.kind === 'default' && of > 1 && <span>else</span>}
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
