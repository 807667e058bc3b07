// Arranging takes up to a second: off the page's thread.
import { expose } from 'comlink';
import { arrange } from './layout.ts';

const layouts = { arrange };
export type Layouts = typeof layouts;
expose(layouts);
