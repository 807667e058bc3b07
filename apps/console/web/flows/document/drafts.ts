// Unsaved drafts in this browser, one database per organisation, because a person may belong to
// several.
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

/** Prefix of the localStorage keys of drafts that closing pages left. */
const leftBy = (organization: string) => `draft-left:${organization}:`;

/**
 * For a closing page: browsers drop its last IndexedDB writes, but localStorage is synchronous.
 * `database` imports it later.
 */
export function leaveDraft(organization: string, draft: Draft): void {
  try {
    localStorage.setItem(leftBy(organization) + draft.flowId, JSON.stringify(draft));
  } catch {
    // Storage is full or forbidden; IndexedDB may still be in time.
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
