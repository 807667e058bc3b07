// What a restore must not undo, outside of the database.
export { applyJournal, flushJournal, isJournalAhead, loadJournal, trimJournal } from './journal.ts';
export type { ApplyEntries } from './journal.ts';
export { locateJournal, readEntries, readLastEntry, type JournalEntry } from './journal-folder.ts';
