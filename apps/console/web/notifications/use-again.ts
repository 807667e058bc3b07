// Reloads a list whenever `progress` changes.
import { useEffect } from 'react';

export function useAgain(refetch: (how: { cancelRefetch: boolean }) => unknown, progress: unknown): void {
  useEffect(() => void refetch({ cancelRefetch: false }), [refetch, progress]);
}
