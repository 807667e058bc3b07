// Endpoint tables of recipients, categories and preferences, and the targets of links in mails.
import { z } from 'zod';
import { del, get, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { linkCredential } from '../people/links.ts';
import { listCategories, toWire, deleteCategory, putCategory } from './manage-categories.ts';
import {
  deleteRecipient,
  getRecipient,
  createPreferencesLink,
  listRecipients,
  putRecipient,
} from './manage-recipients.ts';
import { listSuppressions, removeSuppression, suppressAddresses } from './manage-suppressions.ts';
import { changePreferencesPage, showPreferencesPage } from './preferences-page.ts';
import { getPreferences, putPreferences } from './preferences.ts';
import * as shapes from './schemas.ts';
import { showUnsubscribePage, unsubscribe } from './unsubscribe.ts';

/** A form of one member, in either content type. */
const FORM_BYTES_MAX = 4_096;

export function recipientEndpoints(deps: Deps): Endpoint[] {
  return [
    put(
      '/recipients/{user_id}',
      {
        operationId: 'putRecipient',
        summary: 'Create or replace a recipient: addresses, language, time zone, attributes',
        scope: 'write',
        params: shapes.writtenRecipientParams,
        body: shapes.putRecipient,
        replies: { 200: shapes.recipient, 201: shapes.recipient },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body }) => putRecipient(deps, caller, params.user_id, body),
    ),
    get(
      '/recipients',
      {
        operationId: 'listRecipients',
        summary: 'List recipients by user_id',
        scope: 'read',
        query: shapes.recipientListQuery,
        replies: { 200: shapes.recipientPage },
      },
      ({ caller, query }) => listRecipients(deps, caller, query),
    ),
    get(
      '/recipients/{user_id}',
      {
        operationId: 'getRecipient',
        summary: 'Get a recipient',
        scope: 'read',
        params: shapes.recipientParams,
        replies: { 200: shapes.recipient },
        refusals: ['not_found'],
      },
      ({ caller, params }) => getRecipient(deps, caller, params.user_id),
    ),
    del(
      '/recipients/{user_id}',
      {
        operationId: 'deleteRecipient',
        summary: 'Delete a recipient with addresses, preferences and links',
        scope: 'delete',
        params: shapes.recipientParams,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params }) => deleteRecipient(deps, caller, params.user_id),
    ),
    post(
      '/recipients/{user_id}/link',
      {
        operationId: 'linkToPreferences',
        summary:
          'Create a signed link with which the recipient reads and changes the preferences without signing in',
        scope: 'write',
        params: shapes.recipientParams,
        body: z.strictObject({}),
        replies: { 200: shapes.recipientLink },
        refusals: ['not_found'],
      },
      ({ caller, params }) => createPreferencesLink(deps, caller, params.user_id),
    ),
  ];
}

export function suppressionEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/suppressions',
      {
        operationId: 'listSuppressions',
        summary: 'List addresses that get no mail, newest first',
        scope: 'read',
        query: shapes.suppressionListQuery,
        replies: { 200: shapes.suppressionPage },
      },
      ({ caller, query }) => listSuppressions(deps, caller, query),
    ),
    post(
      '/suppressions',
      {
        operationId: 'addSuppressions',
        summary: 'Suppress addresses, such as those of a previous provider',
        scope: 'write',
        body: shapes.newSuppressions,
        replies: { 200: shapes.addedSuppressions },
        refusals: ['limit_exceeded'],
      },
      ({ caller, body }) => suppressAddresses(deps, caller, body),
    ),
    del(
      '/suppressions/{suppression_id}',
      {
        operationId: 'removeSuppression',
        summary: 'Remove a suppression: the address gets mail again',
        scope: 'delete',
        params: shapes.suppressionParams,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params }) => removeSuppression(deps, caller, params.suppression_id),
    ),
  ];
}

export function preferenceEndpoints(deps: Deps): Endpoint[] {
  const { putPreferences: changes, preferences, pageChange } = shapes.preferenceSchemas(deps.channels);
  return [
    put(
      '/categories/{category_id}',
      {
        operationId: 'putCategory',
        summary: 'Create or replace a category',
        scope: 'write',
        params: shapes.categoryParams,
        body: shapes.putCategory,
        replies: { 200: shapes.category, 201: shapes.category },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body }) => putCategory(deps, caller, params.category_id, body),
    ),
    get(
      '/categories',
      {
        operationId: 'listCategories',
        summary: 'List categories',
        scope: 'read',
        replies: { 200: shapes.categoryList },
      },
      async ({ caller }) => ({
        items: (await listCategories(deps.sql, caller.organizationId)).map(toWire),
        next_cursor: null,
      }),
    ),
    del(
      '/categories/{category_id}',
      {
        operationId: 'deleteCategory',
        summary: 'Delete a category; later sends that name it are refused',
        scope: 'delete',
        params: shapes.categoryParams,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params }) => deleteCategory(deps, caller, params.category_id),
    ),
    get(
      '/preferences',
      {
        operationId: 'getPreferences',
        summary: "Get a recipient's preferences by category and channel",
        scope: 'read',
        endUsers: true,
        query: shapes.preferencesQuery,
        replies: { 200: preferences },
        credential: linkCredential(deps, 'preferences'),
      },
      ({ caller, query }) => getPreferences(deps, caller, query.user_id),
    ),
    put(
      '/preferences',
      {
        operationId: 'putPreferences',
        summary: 'Switch channels of categories on or off',
        scope: 'write',
        endUsers: true,
        query: shapes.preferencesQuery,
        body: changes,
        replies: { 200: preferences },
        credential: linkCredential(deps, 'preferences'),
        refusals: ['unprocessable'],
      },
      ({ caller, query, body }) => putPreferences(deps, caller, query.user_id, body),
    ),
    get(
      '/preferences/page',
      {
        operationId: 'showPreferencesPage',
        summary: 'The page behind the preferences link of a mail. Changes nothing',
        scope: 'read',
        query: shapes.linkQuery,
        replies: { 200: z.string() },
        produces: ['text/html'],
        sends: ['Content-Security-Policy', 'Referrer-Policy'],
        credential: linkCredential(deps, 'preferences'),
      },
      ({ caller, query }) => showPreferencesPage(deps, caller, query.link),
    ),
    post(
      '/preferences/page',
      {
        operationId: 'changePreferencesPage',
        summary: 'Switch a category, a channel or everything, with a button of the page',
        scope: 'write',
        query: pageChange,
        replies: { 200: z.string() },
        produces: ['text/html'],
        sends: ['Content-Security-Policy', 'Referrer-Policy'],
        credential: linkCredential(deps, 'preferences'),
        refusals: ['unprocessable'],
      },
      ({ caller, query }) => changePreferencesPage(deps, caller, query),
    ),
    get(
      '/unsubscribe',
      {
        operationId: 'askToUnsubscribe',
        summary: 'The page behind the unsubscribe link of a mail. Asks, and changes nothing',
        scope: 'read',
        query: shapes.linkQuery,
        replies: { 200: z.string() },
        produces: ['text/html'],
        sends: ['Content-Security-Policy', 'Referrer-Policy'],
        credential: linkCredential(deps, 'unsubscribe'),
      },
      ({ query }) => showUnsubscribePage(deps, query.link),
    ),
    post(
      '/unsubscribe',
      {
        operationId: 'unsubscribe',
        summary:
          'Unsubscribe with one click (RFC 8058): the form `List-Unsubscribe=One-Click`, no cookie, no redirect',
        scope: 'write',
        query: shapes.unsubscribeQuery,
        bodyBytesMax: FORM_BYTES_MAX,
        replies: { 200: z.string() },
        produces: ['text/html'],
        sends: ['Content-Security-Policy', 'Referrer-Policy'],
        credential: linkCredential(deps, 'unsubscribe', true),
      },
      ({ query }) => unsubscribe(deps, query.link, query.all !== undefined),
    ),
  ];
}
