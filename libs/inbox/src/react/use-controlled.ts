// A member that its owner may hold (`open`, `view`), and that is held here where the owner does not.
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
