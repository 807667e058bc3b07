// Clients of the three services. All types come from their OpenAPI documents.
import createClient from 'openapi-fetch';
import { ApiError } from './error.ts';
import type { paths as FlowPaths } from '@parley/sdk/flow-builder';
import type { paths as NotificationPaths } from '@parley/sdk/notifications';
import type { paths as VoicePaths } from '@parley/sdk/voice-api';

export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
export type Service = (typeof SERVICES)[number];

/** Reads `fetch` at each call because tests replace it. */
const options = (service: Service) => ({
  baseUrl: `${location.origin}/api/${service}`,
  fetch: (request: Request) => globalThis.fetch(request),
});

export const flowBuilder = createClient<FlowPaths>(options('flow-builder'));
export const voiceApi = createClient<VoicePaths>(options('voice-api'));
export const notifications = createClient<NotificationPaths>(options('notifications'));

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws ApiError when the status is not 2xx. */
export async function readBody<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiError(response.status, response.headers.get('x-request-id'), error);
  return (data ?? {}) as NonNullable<Data>;
}

/** Unwraps the envelope of the voice API. */
export async function readData<Data>(answer: Promise<Answer<{ data: Data }>>): Promise<Data> {
  return (await readBody(answer)).data;
}

/** The same for an endpoint that also answers with text, which the console requests otherwise. */
export async function readJsonData<Data>(answer: Promise<Answer<{ data: Data } | string>>): Promise<Data> {
  const body = await readBody(answer);
  if (typeof body === 'string') throw new Error('The answer is not JSON.');
  return body.data;
}
