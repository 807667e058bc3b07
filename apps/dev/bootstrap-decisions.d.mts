// The types of bootstrap-decisions.mjs, which must be plain JavaScript.
export function nodeProblem(version: string, path: string): string | null;
export function needsTools(command: string): boolean;
export function lockHash(lockText: string, withTools?: boolean): string;
export function installReason(facts: {
  lockText: string;
  stamp: string | null;
  installedText: string | null;
  withTools: boolean;
}): string | null;
