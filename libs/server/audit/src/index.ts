// Who did what. See README.md.
export { auditEndpoint } from './audit-endpoint.ts';
export { audit, AUDIT_RETENTION_MS, operatorFor, trimAudit, type Actor } from './audit-log.ts';
