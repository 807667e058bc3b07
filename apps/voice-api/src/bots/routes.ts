// The endpoint table of bots.
import { voiceApiDialect } from '@parley/envelopes';
import { creates, del, get, patch, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../conversations/deps.ts';
import { createBot, putBot } from './create-bot.ts';
import { deleteBot } from './delete-bot.ts';
import { getBot, listBots } from './read-bots.ts';
import { listBotVersions } from './read-versions.ts';
import { restoreBot } from './restore-bot.ts';
import {
  bot,
  botDeleteQuery,
  botListQuery,
  botParams,
  botUpdate,
  deletedBot,
  newBot,
  ownBotParams,
  versionListQuery,
} from './schemas.ts';
import { updateBot } from './update-bot.ts';

const { pageSchema } = voiceApiDialect;

export function botEndpoints(deps: Deps): Endpoint[] {
  return [...creationEndpoints(deps), ...changeEndpoints(deps), ...versionEndpoints(deps)];
}

function creationEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/bots',
      {
        operationId: 'createBot',
        stores: true,
        summary: 'Create a bot',
        scope: 'write',
        body: newBot,
        sends: ['ETag', 'Location'],
        replies: { 201: bot },
        refusals: ['limit_exceeded'],
      },
      ({ caller, body, transaction }) => createBot(deps, caller, body, transaction),
    ),
    put(
      '/bots/{bot_id}',
      {
        operationId: 'putBot',
        stores: true,
        summary: 'Create or replace a bot by an id of your own; an equal bot stays as it is',
        scope: 'write',
        params: ownBotParams,
        body: newBot,
        reads: ['If-Match'],
        sends: ['ETag', 'Location'],
        replies: { 200: bot, 201: bot },
        refusals: ['stale_version', 'conflict', 'limit_exceeded'],
      },
      ({ caller, params, body, header }) => putBot(deps, caller, params.bot_id, body, header('if-match')),
    ),
    get(
      '/bots',
      {
        operationId: 'listBots',
        summary: 'List bots, newest first',
        scope: 'read',
        boundKeys: true,
        query: botListQuery,
        replies: { 200: pageSchema(bot) },
      },
      ({ caller, query }) => listBots(deps, caller, query),
    ),
    get(
      '/bots/{bot_id}',
      {
        operationId: 'getBot',
        summary: 'Get a bot',
        scope: 'read',
        boundKeys: true,
        params: botParams,
        sends: ['ETag'],
        replies: { 200: bot },
      },
      ({ caller, params }) => getBot(deps, caller, params.bot_id),
    ),
  ];
}

function changeEndpoints(deps: Deps): Endpoint[] {
  return [
    patch(
      '/bots/{bot_id}',
      {
        operationId: 'updateBot',
        stores: true,
        summary: 'Update a bot, which creates a new version',
        scope: 'write',
        boundKeys: true,
        params: botParams,
        body: botUpdate,
        reads: ['If-Match'],
        sends: ['ETag'],
        replies: { 200: bot },
        refusals: ['stale_version'],
      },
      ({ caller, params, body, header }) => updateBot(deps, caller, params.bot_id, body, header('if-match')),
    ),
    del(
      '/bots/{bot_id}',
      {
        operationId: 'deleteBot',
        summary: 'Archive a bot; purge=true (scope admin) removes it and its conversations permanently',
        scope: 'delete',
        boundKeys: true,
        params: botParams,
        query: botDeleteQuery,
        reads: ['If-Match'],
        replies: { 200: deletedBot },
        refusals: ['stale_version', 'conflict'],
      },
      ({ caller, params, query, header }) =>
        deleteBot(deps, caller, params.bot_id, {
          purge: query.purge === 'true',
          ifMatch: header('if-match'),
        }),
    ),
  ];
}

function versionEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/bots/{bot_id}/versions',
      {
        operationId: 'listBotVersions',
        summary: 'List the versions of a bot, newest first; includes archived bots',
        scope: 'read',
        boundKeys: true,
        params: botParams,
        query: versionListQuery,
        replies: { 200: pageSchema(bot) },
        refusals: ['not_found'],
      },
      ({ caller, params, query }) => listBotVersions(deps, caller, params.bot_id, query),
    ),
    post(
      '/bots/{bot_id}/restore',
      {
        operationId: 'restoreBot',
        stores: true,
        summary: 'Restore an archived bot as paused',
        scope: 'write',
        boundKeys: true,
        params: botParams,
        sends: ['ETag'],
        replies: { 200: bot },
      },
      ({ caller, params }) => restoreBot(deps, caller, params.bot_id),
    ),
  ];
}
