// What the cards lie on: dots that go along. While somebody pans, the browser only shifts what it has painted, cards and dots alike
// (docs/console.md#sizes): the library's own background paints all of them at each frame.
import { useOnViewportChange, useStore } from '@xyflow/react';

const GAP = 20;

export function Ground() {
  const [x, y, zoom] = useStore((state) => state.transform);
  const canvas = useStore((state) => state.domNode);
  // Not for ever: what is zoomed as painted is blurred until it is painted again.
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
