// What a fixture of a voice platform says: the shape of its requests, written down from its
// published source and documentation. Facts, no copied texts.
export interface RecordedRequest {
  readonly name: string;
  /** Where the shape is published. */
  readonly source: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members beside `model`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The id of the call; null = anonymous. */
  readonly session: string | null;
}
