// The dotted background. The library's own background repaints on every frame; this one only moves
// a painted layer (docs/console.md#sizes).
import { useOnViewportChange, useStore } from '@xyflow/react';

const GAP = 20;

export function Ground() {
  const [x, y, zoom] = useStore((state) => state.transform);
  const canvas = useStore((state) => state.domNode);
  // Only during movement, because a zoomed layer is blurred until it is repainted.
  useOnViewportChange({
    onChange: () => canvas?.toggleAttribute('data-moving', true),
    onEnd: () => canvas?.toggleAttribute('data-moving', false),
  });
  const gap = GAP * zoom;
  return (
    <div className="flow-ground" aria-hidden="true">
      <div
        style={{
          inset: -gap,
          backgroundSize: `${gap}px ${gap}px`,
          transform: `translate(${x % gap}px, ${y % gap}px)`,
        }}
      />
    </div>
  );
}
