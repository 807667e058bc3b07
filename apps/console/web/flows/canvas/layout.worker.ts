// Runs the layout in a worker, because it takes up to a second.
import { expose } from 'comlink';
import { arrange } from './layout.ts';

const layouts = { arrange };
export type Layouts = typeof layouts;
expose(layouts);
