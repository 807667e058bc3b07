// Sizes on the canvas. Fixed sizes let the canvas draw only what is visible.
export const NODE_WIDTH = 232;
export const NODE_HEIGHT = 72;
/** Gaps between cards and between rows. */
export const GAP_X = 40;
export const GAP_Y = 88;
/**
 * Up to this number, all nodes are in the page, so that Tab and find-in-page reach them. Above,
 * only visible ones.
 */
export const ALL_DRAWN_MAX = 150;
/** Above this number the map is too slow, because every move redraws it. */
export const MAPPED_MAX = 500;
