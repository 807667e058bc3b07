// A prop that is either controlled by the parent (`open`, `view`) or kept here.
import { useState } from 'react';

export function useControlled<Value>(
  given: Value | undefined,
  first: Value,
  onChange: ((value: Value) => void) | undefined,
): [Value, (value: Value) => void] {
  const [own, setOwn] = useState(first);
  const change = (value: Value) => {
    setOwn(value);
    onChange?.(value);
  };
  return [given ?? own, change];
}
