// Places the panel below the button, or above it if there is more room, always inside the window.
const GAP_PX = 8;
const ROOM_PX_MIN = 280;

export function placePanel(bell: Element, panel: HTMLElement): void {
  const at = bell.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const below = clientHeight - at.bottom - 2 * GAP_PX;
  const above = at.top - 2 * GAP_PX;
  const isAbove = below < ROOM_PX_MIN && above > below;
  const width = panel.offsetWidth;
  const wanted = getComputedStyle(bell).direction === 'rtl' ? at.left : at.right - width;
  const left = Math.max(GAP_PX, Math.min(wanted, clientWidth - width - GAP_PX));
  // Sets properties, because strict content security policies forbid `style` attributes.
  Object.assign(panel.style, {
    left: `${left}px`,
    top: isAbove ? 'auto' : `${at.bottom + GAP_PX}px`,
    bottom: isAbove ? `${clientHeight - at.top + GAP_PX}px` : 'auto',
    maxHeight: `min(${isAbove ? above : below}px, var(--parley-inbox-height, 36rem))`,
  });
}
