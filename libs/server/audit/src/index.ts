// Who did what. See README.md.
export { AUDIT_ACTIONS, auditActions, type AuditAction } from './actions.ts';
export { auditEndpoint, type AuditEndpointOptions } from './audit-endpoint.ts';
export {
  audit,
  AUDIT_RETENTION_MS,
  operatorFor,
  trimAudit,
  type Actor,
  type AuditEntry,
} from './audit-log.ts';
