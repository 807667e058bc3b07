// Finds the flow that a node calls. Fast, because drawing runs it for every node on every change.
import { listCalls, type AuthoredNode, type Call } from '@parley/flow-engine';

/** Null when the node calls no flow. */
export const calledBy = (node: AuthoredNode): Pick<Call, 'flowId' | 'version'> | null =>
  node['call'] == null ? null : (listCalls({ nodes: [node] })[0] ?? null);
