// Positions and sizes on the canvas. Fixed sizes let the canvas draw only what is visible.
export interface Place {
  readonly x: number;
  readonly y: number;
}
export type Places = Readonly<Record<string, Place>>;

export const NODE_WIDTH = 256;
/** The least height; card-size.ts has that of a node. */
export const NODE_HEIGHT = 72;
/** Gaps between cards and between rows. */
export const GAP_X = 40;
export const GAP_Y = 80;
/**
 * Up to this number, all nodes are in the page, so that Tab and find-in-page reach them. Above,
 * only visible ones.
 */
export const ALL_DRAWN_MAX = 150;
/** Above this number the map is too slow, because every move redraws it. */
export const MAPPED_MAX = 500;
