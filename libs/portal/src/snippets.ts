// How a receiver verifies a request, with the SDKs (docs/voice-api.md#signatures).

export const TYPESCRIPT = `import { webhooks } from '@parley/sdk';

// The raw body: one that was parsed and written again has other bytes.
const event = await webhooks.verify(rawBody, request.headers, process.env.PARLEY_WEBHOOK_SECRET);`;

export const PYTHON = `from parley_sdk import webhooks

# The raw body: one that was parsed and written again has other bytes.
event = webhooks.verify(raw_body, request.headers, os.environ["PARLEY_WEBHOOK_SECRET"])`;
