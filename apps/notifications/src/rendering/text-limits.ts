// Maximum lengths of a notification's texts (docs/notifications.md#accepting-a-send).
export const MESSAGE_CHARS_MAX = 10_000;
export const SUBJECT_CHARS_MAX = 255;
/** Of mail. Mail programs cut off shorter pages than this. */
export const HTML_BYTES_MAX = 256 * 1024;
