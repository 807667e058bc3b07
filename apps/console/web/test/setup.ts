// Browser features that jsdom lacks. There is no layout, so sizes are fixed.
import '@testing-library/jest-dom/jest-globals';
import { afterEach } from '@jest/globals';
import { cleanup } from '@testing-library/react';

afterEach(cleanup);

class Observer {
  readonly #call: ResizeObserverCallback;
  constructor(call: ResizeObserverCallback) {
    this.#call = call;
  }
  observe(target: Element): void {
    this.#call([{ target, contentRect: target.getBoundingClientRect() } as ResizeObserverEntry], this);
  }
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver = Observer;

class Matrix {
  readonly m22: number;
  constructor(transform?: string) {
    const scale = /scale\(([\d.]+)\)/.exec(transform ?? '')?.[1];
    this.m22 = scale === undefined ? 1 : Number(scale);
  }
}
globalThis.DOMMatrixReadOnly = Matrix as unknown as typeof DOMMatrixReadOnly;

Object.defineProperties(HTMLElement.prototype, {
  offsetHeight: { get: () => 76 },
  offsetWidth: { get: () => 220 },
});
(SVGElement.prototype as unknown as { getBBox: () => unknown }).getBBox = () => ({
  x: 0,
  y: 0,
  width: 0,
  height: 0,
});
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.hasPointerCapture = () => false;
Element.prototype.releasePointerCapture = () => undefined;
window.scrollTo = () => undefined;
// All windows share one class, so this covers frames too.
CSSStyleSheet.prototype.replaceSync = () => undefined;
