// How long the words of a notification may be (docs/notifications.md#accepting-a-send).
export const MESSAGE_CHARS_MAX = 10_000;
export const SUBJECT_CHARS_MAX = 255;
