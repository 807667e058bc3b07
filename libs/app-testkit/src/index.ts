// What the integration tests of the three apps share. Apart from testkit, which the libraries below the apps use too.
export { apiClient, type ApiClient } from './api-client.ts';
export {
  serviceUnderTest,
  testMessageKeys,
  TEST_IDENTITY_SECRET,
  type ServiceParts,
  type ServiceUnderTest,
} from './service-under-test.ts';
export {
  operationsOf,
  otherTenantProblems,
  scopeByRule,
  scopeProblems,
  type Operation,
  type TenantMatrix,
} from './access-matrix.ts';
export { codeTable, endpointTable, environmentTable } from './readme-tables.ts';
