// Actions: what a person starts with a button. An action says in a sentence what happened, goes on
// to what it produced, and reloads what it changed. `focus.ts` keeps focus when its button is gone.
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { ApiError } from '../api/error.ts';
import { announce, showToast } from './notice.tsx';

interface Consequences<Input, Output> {
  readonly says: string | ((output: Output, input: Input) => string);
  /** The page shows the result, so only screen readers need the sentence. */
  readonly isShown?: boolean;
  /** Keys of queries, or their first elements. */
  readonly reloads?: readonly (string | readonly unknown[])[];
  /** Before the reload, because it may leave the page: a deleted object must not be read again. */
  readonly then?: (output: Output, input: Input) => unknown;
  readonly fails?: (error: Error) => unknown;
}

export function useAction<Output, Input = void>(
  run: (input: Input) => Promise<Output>,
  { says, isShown = false, reloads = [], then, fails }: Consequences<Input, Output>,
): UseMutationResult<Output, Error, Input> {
  const queryClient = useQueryClient();
  const reload = () =>
    Promise.all(reloads.map((key) => queryClient.invalidateQueries({ queryKey: [key].flat() })));
  return useMutation({
    mutationFn: (input: Input) => run(input),
    onSuccess: async (output, input) => {
      await then?.(output, input);
      (isShown ? announce : showToast)(typeof says === 'string' ? says : says(output, input));
      await reload();
    },
    // A conflict means that the page shows an old state.
    onError: (error) => (fails ?? (isConflict(error) ? reload : undefined))?.(error),
  });
}

const isConflict = (error: Error): boolean =>
  error instanceof ApiError && (error.status === 409 || error.status === 412);
