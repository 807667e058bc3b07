// Maximum lengths of a notification's texts (docs/notifications.md#accepting-a-send).
export const MESSAGE_CHARS_MAX = 10_000;
export const SUBJECT_CHARS_MAX = 255;
