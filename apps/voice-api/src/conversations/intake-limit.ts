// The limit of the intake of events: outside the plan, the same for every organisation (docs/voice-api.md#conversation-events).

/** The limit class of its endpoint. */
export const INTAKE = 'intake';
/** Requests of an organisation in a window. Each carries up to 500 events. */
export const INTAKE_REQUESTS = 100;
export const INTAKE_WINDOW_MS = 1_000;
