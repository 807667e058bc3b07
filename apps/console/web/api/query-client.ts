// What was read, and for how long it is believed. One for the page; a test makes its own.
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './error.ts';

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A refusal stays one; what did not arrive is asked again.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status < 500 && error.status !== 429),
      },
    },
  });
}
