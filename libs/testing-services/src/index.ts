// Shared by the integration tests of the three apps. Separate from libs/testing, which the
// libraries below the apps use.
export { apiClient, type ApiClient } from './api-client.ts';
export { identityToken } from './identity-token.ts';
export { serviceUnderTest, testMessageKeys, type ServiceUnderTest } from './service-under-test.ts';
export {
  listOperations,
  otherTenantProblems,
  RIVAL,
  scopeProblems,
  type Operation,
  type TenantMatrix,
} from './access-matrix.ts';
export { cursorProblems } from './cursor-problems.ts';
export {
  fullDiskProblems,
  invalidRequests,
  OUR_FAULTS,
  stallProblems,
  startFrozenReplicas,
  type FrozenReplicas,
  type ValidRequests,
} from './our-faults.ts';
export { newAlert } from './new-alert.ts';
export { pathProblems } from './path-problems.ts';
export { storedOpenApi } from './stored-openapi.ts';
export { unboundedParts } from './unbounded-parts.ts';
export {
  codeTable,
  endpointTable,
  environmentTable,
  findUndocumented,
  readDocument,
} from './readme-tables.ts';
