// What the addresses of the agents' pages may name.
export const STATUSES = ['active', 'paused', 'archived'] as const;
export const AGENT_TABS = ['overview', 'talk', 'settings', 'versions', 'connect'] as const;
export type AgentTab = (typeof AGENT_TABS)[number];
export const PLATFORMS = ['vapi', 'retell', 'livekit', 'pipecat', 'elevenlabs'] as const;
export type Platform = (typeof PLATFORMS)[number];
