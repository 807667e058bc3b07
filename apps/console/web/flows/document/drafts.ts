// What is not saved yet, in this browser: a tab that closes loses nothing.
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { AuthoredFlow } from '@parley/flow-engine';

export interface Draft {
  readonly flowId: string;
  readonly definition: AuthoredFlow;
  readonly baseVersion: number;
  readonly changedAt: number;
}

interface Drafts extends DBSchema {
  drafts: { key: string; value: Draft };
}

let opened: Promise<IDBPDatabase<Drafts>> | undefined;
const database = () =>
  (opened ??= openDB<Drafts>('parley-console', 1, {
    upgrade: (db) => void db.createObjectStore('drafts', { keyPath: 'flowId' }),
  }).then(takeLeft));

/** With the id of a flow: its draft as it was when its page was left. */
const LEFT = 'draft-left:';

/**
 * For a page that may be gone in a moment: browsers drop what IndexedDB was asked for last, and this is written when it returns. Whoever
 * opens the drafts next takes it in.
 */
export function leaveDraft(draft: Draft): void {
  try {
    localStorage.setItem(LEFT + draft.flowId, JSON.stringify(draft));
  } catch {
    // Full or forbidden: what IndexedDB takes in time is kept.
  }
}

async function takeLeft(db: IDBPDatabase<Drafts>): Promise<IDBPDatabase<Drafts>> {
  for (const key of Object.keys(localStorage).filter((name) => name.startsWith(LEFT))) {
    await db.put('drafts', JSON.parse(localStorage.getItem(key)!) as Draft);
    localStorage.removeItem(key);
  }
  return db;
}

export const readDraft = async (flowId: string): Promise<Draft | undefined> =>
  (await database()).get('drafts', flowId);

export const listDrafts = async (): Promise<Draft[]> => (await database()).getAll('drafts');

export async function keepDraft(draft: Draft): Promise<void> {
  await (await database()).put('drafts', draft);
  localStorage.removeItem(LEFT + draft.flowId);
}

export async function forgetDraft(flowId: string): Promise<void> {
  await (await database()).delete('drafts', flowId);
  localStorage.removeItem(LEFT + flowId);
}
