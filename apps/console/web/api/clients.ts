// The three services, with the types that they describe themselves. Nothing of an answer is written by hand.
import createClient from 'openapi-fetch';
import { ApiError } from './error.ts';
import type { paths as FlowPaths } from '@parley/sdk/flow-builder';
import type { paths as NotificationPaths } from '@parley/sdk/notifications';
import type { paths as VoicePaths } from '@parley/sdk/voice-api';

export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
export type Service = (typeof SERVICES)[number];

/** Asked for at the call, not when the module is read: tests put their own fetch in its place. */
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

/** The body of a good answer. @throws ApiError for a refusal. */
export async function bodyOf<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiError(response.status, response.headers.get('x-request-id'), error);
  return (data ?? {}) as NonNullable<Data>;
}

/** What stands in the envelope of the voice API. */
export async function dataOf<Data>(answer: Promise<Answer<{ data: Data }>>): Promise<Data> {
  return (await bodyOf(answer)).data;
}
