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
  }));

export const readDraft = async (flowId: string): Promise<Draft | undefined> =>
  (await database()).get('drafts', flowId);

export const listDrafts = async (): Promise<Draft[]> => (await database()).getAll('drafts');

export async function keepDraft(draft: Draft): Promise<void> {
  await (await database()).put('drafts', draft);
}

export async function forgetDraft(flowId: string): Promise<void> {
  await (await database()).delete('drafts', flowId);
}
