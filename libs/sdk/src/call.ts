// The result of a method: await it for the answer, loop over it for the items of all pages.
import { ConnectionError } from './errors.ts';
import type { CallOptions, Input, Operation, Sender } from './options.ts';

/** A running call. */
export class Call<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #answer: Promise<Response>;
  readonly #enveloped: boolean;
  #data: Promise<Data> | undefined;

  constructor(answer: Promise<Response>, enveloped: boolean) {
    this.#answer = answer;
    this.#enveloped = enveloped;
  }

  /** The raw response: status, headers, text. Refusals throw here too. */
  raw(): Promise<Response> {
    return this.#answer.then((response) => response.clone());
  }

  then<A = Data, B = never>(
    onData?: ((data: Data) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#data ??= this.raw().then((response) => read(response, this.#enveloped) as Promise<Data>);
    return this.#data.then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Data | B> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd);
  }
}

type Page<Item> = Readonly<Record<string, Item[] | string | null>> & { readonly next_cursor?: string | null };

/**
 * The first page when awaited; the items of all pages in a loop, which requests a page when it
 * needs it.
 */
export class Pages<Data, Item> extends Call<Data> implements AsyncIterable<Item> {
  readonly #next: (cursor: string) => Call<Data>;
  readonly #items: string;

  constructor(sender: Sender, operation: Operation, input: Input, options: CallOptions, enveloped: boolean) {
    super(sender(operation, input, options), enveloped);
    this.#next = (cursor) => new Call(sender(operation, { ...input, cursor }, options), enveloped);
    this.#items = operation.pages!;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = (await this) as Page<Item>;
    for (;;) {
      yield* page[this.#items] as Item[];
      const cursor = page.next_cursor;
      if (!cursor) return;
      page = (await this.#next(cursor)) as Page<Item>;
    }
  }
}

/** The voice API wraps its answers in an envelope (docs/voice-api.md#envelope). */
async function read(response: Response, enveloped: boolean): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  if (!response.headers.get('content-type')?.includes('json')) return text;
  try {
    const body: unknown = JSON.parse(text);
    return enveloped ? (body as { data: unknown }).data : body;
  } catch (cause) {
    throw new ConnectionError('The answer is not the JSON that it says it is.', { cause });
  }
}
