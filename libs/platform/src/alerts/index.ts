// What operators must know. See README.md.
export { ALERT_KINDS } from './alert-kinds.ts';
export {
  acknowledgeAlert,
  countUnresolved,
  raise,
  raiseQuarantined,
  resolve,
  resolveEnded,
  trimAlerts,
  type RaisedAlert,
} from './alerts.ts';
export { alertEndpoints } from './alert-endpoints.ts';
export {
  tendAlerts,
  TENDED_EVERY_MS,
  type NotifiedAlert,
  type OperatorNotice,
  type TendOptions,
} from './tend-alerts.ts';
