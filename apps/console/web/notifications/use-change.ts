// A mutation that invalidates queries afterwards.
import { useMutation, useQueryClient } from '@tanstack/react-query';

/** @param keys first elements of the query keys to invalidate */
export function useChange<Input, Output>(
  keys: readonly string[],
  change: (input: Input) => Promise<Output>,
  done?: (output: Output) => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (output) => {
      // First, because it may leave the page: a deleted resource must not be requested again.
      done?.(output);
      for (const key of keys) void queryClient.invalidateQueries({ queryKey: [key] });
    },
  });
}
