// The size of a card is given and not measured: the canvas then draws only what is seen.
export const NODE_WIDTH = 232;
export const NODE_HEIGHT = 72;
/** Between cards of a row, and between rows. */
export const GAP_X = 40;
export const GAP_Y = 88;
/** Above this many nodes only what is in sight is drawn; below it all is, so that Tab and find-in-page reach every node. */
export const ALL_DRAWN_MAX = 150;
/** The map is redrawn with every move; above this it costs more than it shows. */
export const MAPPED_MAX = 500;
