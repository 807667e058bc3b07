// The rate limit of the event intake, the same for every organisation and plan
// (docs/voice-api.md#conversation-events).

/** The limit class of its endpoint. */
export const INTAKE = 'intake';
/** Requests of an organisation in a window, each with up to 500 events. */
export const INTAKE_REQUESTS = 100;
export const INTAKE_WINDOW_MS = 1_000;
