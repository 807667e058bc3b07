// A secret value that cannot be printed by accident.
import { inspect } from 'node:util';

const SHOWN = '[secret]';

/** Holds a secret. Every way of printing it gives `[secret]`; only `reveal()` gives the value, at its one use. */
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
