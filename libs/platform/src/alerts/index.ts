// What operators must know. See README.md.
export { ALERT_KINDS, alertKinds, type AlertKind, type AlertKindName } from './alert-kinds.ts';
export {
  acknowledgeAlert,
  ALERT_STATUSES,
  countUnresolved,
  raise,
  raiseQuarantined,
  resolve,
  resolveEnded,
  trimAlerts,
  type AlertStatus,
  type Cause,
  type RaisedAlert,
} from './alerts.ts';
export { alertEndpoints } from './alert-endpoints.ts';
export { tendAlerts, tendOnce, type OperatorNotice, type TendOptions } from './tend-alerts.ts';
