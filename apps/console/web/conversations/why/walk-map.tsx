// A read-only canvas of the version that ran, with the path of one turn highlighted.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { sharedEngine } from '../../engine/client.ts';
import type { FlowSnapshot } from '../../engine/replay.ts';
import { arrangeFlow } from '../../flows/canvas/arrange.ts';
import { FlowPicture } from '../../flows/canvas/flow-picture.tsx';
import { noOverlay } from '../../flows/canvas/scene.ts';
import { toDoc } from '../../flows/document/doc.ts';
import type { Walked } from '../../flows/talk/walked.ts';
import { Loading } from '../../ui/page.tsx';

interface WalkMapProps {
  readonly look: FlowSnapshot;
  readonly walk: Walked;
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
}

export function WalkMap({ look, walk, chosen, onChoose }: WalkMapProps) {
  const { flowId, version, changedAt, definition } = look;
  const doc = useMemo(() => toDoc(definition), [definition]);
  const isPlaced = doc.flow.nodes.every(({ id }) => doc.places[id] !== undefined);
  const ofVersion = { staleTime: Infinity, retry: false } as const;
  const checked = useQuery({
    queryKey: ['flow', flowId, 'looked-at', version, changedAt],
    queryFn: () => sharedEngine().read(definition),
    ...ofVersion,
  });
  const arranged = useQuery({
    queryKey: ['flow', flowId, 'arranged', version, changedAt],
    queryFn: () => arrangeFlow(doc.flow),
    enabled: !isPlaced,
    ...ofVersion,
  });
  const overlay = useMemo(() => ({ ...noOverlay, ...walk }), [walk]);
  const places = isPlaced ? doc.places : arranged.data;
  if (places === undefined || checked.isPending) return <Loading subject="the flow" />;
  return (
    <FlowPicture
      flow={doc.flow}
      places={places}
      checked={checked.data ?? null}
      overlay={overlay}
      chosen={chosen}
      follow={chosen ?? walk.visited.at(-1) ?? null}
      onChoose={onChoose}
    />
  );
}
