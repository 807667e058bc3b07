// A write, after which what is known of some things is old.
import { useMutation, useQueryClient } from '@tanstack/react-query';

/** @param keys with which the queries begin that are asked anew */
export function useChange<Input, Output>(
  keys: readonly string[],
  change: (input: Input) => Promise<Output>,
  done?: (output: Output) => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (output) => {
      // First, since it may lead to another page: what was deleted is not asked for again.
      done?.(output);
      for (const key of keys) void queryClient.invalidateQueries({ queryKey: [key] });
    },
  });
}
