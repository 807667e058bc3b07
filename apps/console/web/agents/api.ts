// Agents are the bots of the voice API. Their first version in the list is the current one, also of
// an archived agent, which the API lists only there.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readBody, readData, flowBuilder, voiceApi } from '../api/clients.ts';
import type { components, operations } from '@parley/sdk/voice-api';
import type { components as FlowComponents } from '@parley/sdk/flow-builder';

export type Agent = components['schemas']['Bot'];
export type NewAgent = components['schemas']['NewBot'];
export type AgentUpdate = components['schemas']['BotUpdate'];
export type ListedFlow = FlowComponents['schemas']['ListedFlow'];
type AgentsQuery = NonNullable<operations['listBots']['parameters']['query']>;

/** Prefix of the keys of all queries about agents, also of `botsQuery`. */
/** First elements of the keys of lists and pages of agents. */
export const AGENTS = ['bots'] as const;

export const agentsQuery = (query: AgentsQuery) =>
  queryOptions({
    queryKey: [...AGENTS, 'list', query],
    queryFn: () => readData(voiceApi.GET('/v1/bots', { params: { query } })),
  });

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...AGENTS, id, 'versions'],
    queryFn: ({ pageParam }) =>
      readData(
        voiceApi.GET('/v1/bots/{bot_id}/versions', {
          params: { path: { bot_id: id }, query: pageParam === null ? {} : { cursor: pageParam } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The most that the flow builder lists in one answer. */
const FLOWS_MAX = 100;

/** The flows that an agent may run, newest first, with their published versions. */
export const flowChoicesQuery = (q: string) =>
  queryOptions({
    queryKey: ['flows', 'choices', q],
    queryFn: () =>
      readBody(
        flowBuilder.GET('/v1/flows', {
          params: { query: { limit: FLOWS_MAX, state: 'true', ...(q === '' ? {} : { q }) } },
        }),
      ),
  });

export const createAgent = (body: NewAgent) => readData(voiceApi.POST('/v1/bots', { body }));

const at = ({ id, version }: Agent) => ({
  params: { path: { bot_id: id }, header: { 'If-Match': `"${version}"` } },
});

export const updateAgent = (agent: Agent, body: AgentUpdate) =>
  readData(voiceApi.PATCH('/v1/bots/{bot_id}', { ...at(agent), body }));

export const archiveAgent = (agent: Agent) => readData(voiceApi.DELETE('/v1/bots/{bot_id}', at(agent)));

export const unarchiveAgent = ({ id }: Agent) =>
  readData(voiceApi.POST('/v1/bots/{bot_id}/restore', { params: { path: { bot_id: id } } }));
