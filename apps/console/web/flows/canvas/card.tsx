// The card of a node on the canvas: its title, what it says, and the choices of a question.
import { memo, type ReactNode } from 'react';
import { Handle, Position, type NodeProps } from '@xyflow/react';
import type { AuthoredNode } from '@parley/flow-engine';
import { heightOf, linesOf, rowsOf } from '../document/card-size.ts';
import { toggleFold } from '../document/flow-store.ts';
import { canBeLeft, castOf, castSpec, sayingOf, titleOf, typeOf, typeSpec } from '../tables.ts';
import { plainWords } from '../words.tsx';
import type { CardData, CardNode } from './scene.ts';
import { TypeIcon } from './type-icon.tsx';

export const Card = memo(function Card({ data, selected, isConnectable }: NodeProps<CardNode>) {
  const spec = typeSpec(typeOf(data.node));
  return (
    <CardFace
      data={data}
      selected={selected}
      port={(id) => <Handle type="source" id={id} position={Position.Right} isConnectable={isConnectable} />}
    >
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
  /** The port of a choice, on canvases that connect. */
  readonly port?: (id: string) => ReactNode;
  readonly children?: ReactNode;
}

export function CardFace({ data, selected = false, port, children }: CardFaceProps) {
  const { node, isStart, severity, problems, visits, note } = data;
  const type = typeOf(node);
  const spec = typeSpec(type);
  const says = sayingOf(node);
  const rows = rowsOf(node);
  return (
    <div
      className="flow-card"
      data-kind={
        spec === null ? 'unknown' : spec.declarative ? 'configuration' : spec.terminal ? 'end' : 'step'
      }
      data-type={type}
      data-selected={selected || undefined}
      data-faded={data.isFaded || undefined}
      data-visited={visits !== '' || undefined}
      data-path={data.isOnPath || undefined}
      data-connecting={data.isConnecting || undefined}
      data-difference={data.difference ?? undefined}
      data-severity={severity ?? undefined}
      style={{ height: heightOf(node) }}
    >
      {children}
      <div className="flow-card-head">
        <span className="flow-card-icon">
          <TypeIcon type={type} />
        </span>
        <span className="flow-card-title" dir="auto">
          {titleOf(node)}
        </span>
        {isStart && <span className="flow-card-start">start</span>}
        {visits !== '' && <span className="flow-card-visits">{visits}</span>}
        {note !== '' && <span className="flow-card-note">{note}</span>}
        {severity !== null && (
          <span className="flow-card-problems" data-severity={severity}>
            {problems}
          </span>
        )}
        <span className="flow-card-id">{node.id}</span>
      </div>
      <p className="flow-card-says" dir="auto" style={{ WebkitLineClamp: linesOf(says) }}>
        {says === '' ? <em>{emptyText(node)}</em> : says}
      </p>
      {type === 'collect' && (
        <p className="flow-card-foot">
          {castSpec(castOf(node.cast))?.label ?? node.cast} <span>→ {node.variable ?? 'no variable'}</span>
        </p>
      )}
      {rows.length > 0 && (
        <ul className="flow-card-rows">
          {rows.map(({ port: id, label }) => (
            <li key={id}>
              <span dir="auto">{label}</span>
              {port?.(id)}
            </li>
          ))}
        </ul>
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

/** What a card without a text says about itself. */
const emptyText = (node: AuthoredNode): string =>
  EMPTY[typeOf(node) ?? ''] ?? plainWords(typeSpec(typeOf(node))?.meaning ?? 'Unknown kind.');
const EMPTY: Readonly<Record<string, string>> = {
  message: 'No text yet',
  collect: 'No question yet',
  branch: 'Chooses the next edge',
  end: 'Ends without a word',
};
