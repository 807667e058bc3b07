// Who did what. See README.md.
export { AUDIT_ACTIONS, auditActions, type AuditAction } from './actions.ts';
export { auditEndpoint, type AuditEndpointOptions } from './audit-endpoint.ts';
export { audit, AUDIT_KEPT_MS, operatorFor, trimAudit, type Actor, type Deed } from './audit-log.ts';
