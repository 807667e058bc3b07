// Creates the query client of the page; each test creates its own.
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './error.ts';

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Retrying does not change a 4xx, except 429.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status < 500 && error.status !== 429),
      },
    },
  });
}
