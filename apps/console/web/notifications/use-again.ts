// What is listed beside something that goes on: asked anew whenever that came further, the last time too.
import { useEffect } from 'react';

export function useAgain(refetch: (how: { cancelRefetch: boolean }) => unknown, progress: unknown): void {
  useEffect(() => void refetch({ cancelRefetch: false }), [refetch, progress]);
}
