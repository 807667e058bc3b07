// The sources of exports by their name.
import type { ExportRow } from '../export-rows.ts';
import { conversations } from './conversations.ts';
import { deliveries } from './deliveries.ts';
import type { Source } from './source.ts';

export const sources: Readonly<Record<ExportRow['of'], Source>> = { conversations, deliveries };
