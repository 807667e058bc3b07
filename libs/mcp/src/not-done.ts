/** A failure that concerns only the assistant: it gets the message, and nothing is logged. */
export class ToolError extends Error {}
