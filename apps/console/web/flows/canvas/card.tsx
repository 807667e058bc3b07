// The card of a node on the canvas.
import { memo, type ReactNode } from 'react';
import { Handle, Position, type NodeProps } from '@xyflow/react';
import { toggleFold } from '../document/flow-store.ts';
import { canBeLeft, castOf, sayingOf, typeOf, typeSpec } from '../tables.ts';
import { plainWords } from '../words.tsx';
import type { CardData, CardNode } from './scene.ts';
import { TypeIcon } from './type-icon.tsx';

export const Card = memo(function Card({ data, selected, isConnectable }: NodeProps<CardNode>) {
  const spec = typeSpec(typeOf(data.node));
  return (
    <CardFace data={data} selected={selected}>
      {spec?.constraints.maxIncoming !== 0 && (
        <Handle type="target" position={Position.Top} isConnectable={isConnectable} />
      )}
      {canBeLeft(data.node) && (
        <Handle type="source" position={Position.Bottom} isConnectable={isConnectable} />
      )}
    </CardFace>
  );
});

interface CardFaceProps {
  readonly data: CardData;
  readonly selected?: boolean;
  readonly children?: ReactNode;
}

export function CardFace({ data, selected = false, children }: CardFaceProps) {
  const { node, isStart, severity, problems, visits, note } = data;
  const type = typeOf(node);
  const spec = typeSpec(type);
  const says = sayingOf(node);
  return (
    <div
      className="flow-card"
      data-kind={
        spec === null ? 'unknown' : spec.declarative ? 'configuration' : spec.terminal ? 'end' : 'step'
      }
      data-selected={selected || undefined}
      data-faded={data.isFaded || undefined}
      data-visited={visits !== '' || undefined}
      data-path={data.isOnPath || undefined}
      data-connecting={data.isConnecting || undefined}
      data-difference={data.difference ?? undefined}
      data-severity={severity ?? undefined}
    >
      {children}
      <div className="flow-card-head">
        <TypeIcon type={type} />
        <span className="flow-card-id">{node.id}</span>
        {isStart && <span className="flow-card-start">start</span>}
        {visits !== '' && <span className="flow-card-visits">{visits}</span>}
        {note !== '' && <span className="flow-card-note">{note}</span>}
        {severity !== null && (
          <span className="flow-card-problems" data-severity={severity}>
            {problems}
          </span>
        )}
      </div>
      <p className="flow-card-says">
        {says === '' ? <em>{plainWords(spec?.meaning ?? 'Unknown type.')}</em> : says}
      </p>
      {type === 'collect' && (
        <p className="flow-card-foot">
          {node.variable ?? 'no variable'} <span>{castOf(node.cast) ?? node.cast}</span>
        </p>
      )}
      {data.isUnfolded !== null && (
        <button
          type="button"
          className="flow-card-fold nodrag"
          aria-expanded={data.isUnfolded}
          title="F"
          onClick={(event) => {
            event.stopPropagation();
            toggleFold(node.id);
          }}
        >
          {data.isUnfolded ? 'Collapse' : 'Expand'}
        </button>
      )}
    </div>
  );
}
