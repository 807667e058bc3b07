// What is not saved yet, in this browser: a tab that closes loses nothing. Each organisation has its own, since a person may be of two.
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

const opened = new Map<string, Promise<IDBPDatabase<Drafts>>>();

function database(organization: string): Promise<IDBPDatabase<Drafts>> {
  let its = opened.get(organization);
  if (its === undefined) {
    its = openDB<Drafts>(`parley-drafts:${organization}`, 1, {
      upgrade: (db) => void db.createObjectStore('drafts', { keyPath: 'flowId' }),
    }).then((db) => takeLeft(organization, db));
    opened.set(organization, its);
  }
  return its;
}

/** In front of the id of a flow: its draft as it was when its page was left. */
const leftBy = (organization: string) => `draft-left:${organization}:`;

/**
 * For a page that may be gone in a moment: browsers drop what IndexedDB was asked for last, and this is written when it returns. Whoever
 * opens the drafts next takes it in.
 */
export function leaveDraft(organization: string, draft: Draft): void {
  try {
    localStorage.setItem(leftBy(organization) + draft.flowId, JSON.stringify(draft));
  } catch {
    // Full or forbidden: what IndexedDB takes in time is kept.
  }
}

async function takeLeft(organization: string, db: IDBPDatabase<Drafts>): Promise<IDBPDatabase<Drafts>> {
  for (const key of Object.keys(localStorage).filter((name) => name.startsWith(leftBy(organization)))) {
    await db.put('drafts', JSON.parse(localStorage.getItem(key)!) as Draft);
    localStorage.removeItem(key);
  }
  return db;
}

export const readDraft = async (organization: string, flowId: string): Promise<Draft | undefined> =>
  (await database(organization)).get('drafts', flowId);

export const listDrafts = async (organization: string): Promise<Draft[]> =>
  (await database(organization)).getAll('drafts');

export async function keepDraft(organization: string, draft: Draft): Promise<void> {
  await (await database(organization)).put('drafts', draft);
  localStorage.removeItem(leftBy(organization) + draft.flowId);
}

export async function forgetDraft(organization: string, flowId: string): Promise<void> {
  await (await database(organization)).delete('drafts', flowId);
  localStorage.removeItem(leftBy(organization) + flowId);
}
