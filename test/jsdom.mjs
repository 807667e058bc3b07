// jsdom, plus what it lacks and Node has.
import { TestEnvironment } from 'jest-environment-jsdom';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.structuredClone ??= structuredClone; // dagre, fake-indexeddb
    this.global.TextEncoder ??= TextEncoder;
    this.global.TextDecoder ??= TextDecoder;
    // As in a browser, a request takes the signals of the page: Node 24 refuses those of jsdom.
    Object.assign(this.global, { AbortController, AbortSignal });
    Object.assign(this.global, { BroadcastChannel, fetch, Request, Response, Headers, ReadableStream }); // openapi-fetch, @parley/sdk
  }
}
