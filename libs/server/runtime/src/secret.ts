// A secret value that cannot be printed by accident.
import { inspect } from 'node:util';

const SHOWN = '[secret]';

/** Holds a secret. Printing gives `[secret]`; only `reveal()` returns the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}
