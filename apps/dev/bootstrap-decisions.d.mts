// The types of bootstrap-decisions.mjs, which must be plain JavaScript.
export function nodeProblem(version: string, path: string): string | null;
export function lockHash(lockText: string): string;
export function installReason(facts: {
  lockText: string;
  stamp: string | null;
  installedText: string | null;
}): string | null;
