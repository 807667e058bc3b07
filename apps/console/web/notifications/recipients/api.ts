// Recipients, their preferences, and categories.
import { queryOptions } from '@tanstack/react-query';
import { readBody, notifications } from '../../api/clients.ts';
import { ApiError } from '../../api/error.ts';
import type { components, operations } from '@parley/sdk/notifications';

export type Recipient = components['schemas']['Recipient'];
export type PutRecipient = components['schemas']['PutRecipient'];
export type Preferences = components['schemas']['Preferences'];
export type PutPreferences = components['schemas']['PutPreferences'];
export type Category = components['schemas']['Category'];
export type PutCategory = components['schemas']['PutCategory'];
export type Suppression = components['schemas']['Suppression'];
export type SuppressionQuery = NonNullable<operations['listSuppressions']['parameters']['query']>;
export type RecipientQuery = NonNullable<operations['listRecipients']['parameters']['query']>;

/** Query keys to invalidate after a change. */
export const RECIPIENTS = ['recipients', 'recipient', 'preferences'];
export const CATEGORIES = ['categories', 'preferences'];
export const SUPPRESSIONS = ['suppressions'];
export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribe'] as const;
export const SUPPRESSION_REASON_LABELS: Readonly<Record<Suppression['reason'], string>> = {
  hard_bounce: 'Bounced',
  complaint: 'Reported as spam',
  unsubscribe: 'Unsubscribed',
};

const at = (userId: string) => ({ params: { path: { user_id: userId } } });
const of = (userId: string) => ({ params: { query: { user_id: userId } } });

export const recipientsQuery = (query: RecipientQuery) =>
  queryOptions({
    queryKey: ['recipients', query],
    queryFn: () => readBody(notifications.GET('/v1/recipients', { params: { query } })),
  });

export const recipientQuery = (userId: string) =>
  queryOptions({
    queryKey: ['recipient', userId],
    queryFn: () => readBody(notifications.GET('/v1/recipients/{user_id}', at(userId))),
  });

export const putRecipient = (userId: string, body: PutRecipient) =>
  readBody(notifications.PUT('/v1/recipients/{user_id}', { ...at(userId), body }));

/** A PUT would overwrite an existing recipient. */
export async function createRecipient(userId: string, body: PutRecipient) {
  const { response } = await notifications.GET('/v1/recipients/{user_id}', at(userId));
  if (response.ok)
    throw new ApiError(409, null, { error: `The recipient "${userId}" already exists. Choose another id.` });
  return putRecipient(userId, body);
}

export const deleteRecipient = (userId: string) =>
  readBody(notifications.DELETE('/v1/recipients/{user_id}', at(userId)));

export const linkToPreferences = (userId: string) =>
  readBody(notifications.POST('/v1/recipients/{user_id}/link', { ...at(userId), body: {} }));

export const preferencesQuery = (userId: string) =>
  queryOptions({
    queryKey: ['preferences', userId],
    queryFn: () => readBody(notifications.GET('/v1/preferences', of(userId))),
  });

export const putPreferences = (userId: string, body: PutPreferences) =>
  readBody(notifications.PUT('/v1/preferences', { ...of(userId), body }));

export const putCategory = (id: string, body: PutCategory) =>
  readBody(
    notifications.PUT('/v1/categories/{category_id}', { params: { path: { category_id: id } }, body }),
  );

export const deleteCategory = (id: string) =>
  readBody(notifications.DELETE('/v1/categories/{category_id}', { params: { path: { category_id: id } } }));

export const suppressionsQuery = (query: SuppressionQuery) =>
  queryOptions({
    queryKey: ['suppressions', query],
    queryFn: () => readBody(notifications.GET('/v1/suppressions', { params: { query } })),
  });

/** Of one request. */
export const SUPPRESSIONS_ADDED_MAX = 1_000;

export const addSuppressions = (emails: readonly string[], reason: Suppression['reason']) =>
  readBody(notifications.POST('/v1/suppressions', { body: { emails: [...emails], reason } }));

export const removeSuppression = (id: string) =>
  readBody(
    notifications.DELETE('/v1/suppressions/{suppression_id}', { params: { path: { suppression_id: id } } }),
  );
