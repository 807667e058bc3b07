// The bots of the organisation.
import { queryOptions } from '@tanstack/react-query';
import { readData, voiceApi } from './clients.ts';

export const botsQuery = queryOptions({
  queryKey: ['bots'],
  queryFn: () => readData(voiceApi.GET('/v1/bots', { params: { query: { limit: 100 } } })),
  staleTime: 60_000,
});
