// The flow that a node calls. The rest of the drawing asks it of every node with every change: most are no branch at all.
import { listCalls, type AuthoredNode, type Call } from '@parley/flow-engine';

/** null: it calls none. */
export const calledBy = (node: AuthoredNode): Pick<Call, 'flowId' | 'version'> | null =>
  node['call'] == null ? null : (listCalls({ nodes: [node] })[0] ?? null);
