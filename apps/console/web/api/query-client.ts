// Creates the query client of the page; each test creates its own.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './error.ts';

export function makeQueryClient(): QueryClient {
  // A refused credential may mean that the session has ended: it is read again.
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_signed_in')
      void client.invalidateQueries({ queryKey: ['session'] });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Retrying does not change a 4xx, except 429.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status < 500 && error.status !== 429),
      },
    },
  });
  return client;
}
