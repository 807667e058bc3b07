// What a sender adds to an item besides its text (docs/notifications.md#in-app-inbox): link, data,
// buttons, category, icon.
import { z } from 'zod';
import { freeForm, link } from '@parley/envelopes';
import { categoryId } from '../callers/caller-id.ts';

const LABEL_CHARS_MAX = 80;
const ACTIONS_MAX = 3;
const DATA_BYTES_MAX = 32 * 1024;

const action = z
  .strictObject({
    label: z.string().min(1).max(LABEL_CHARS_MAX).regex(/\S/, 'must not be blank'),
    url: link.optional().describe('Address that the button opens'),
    id: z.string().min(1).max(64).optional().describe('Your id of what your page does'),
  })
  .refine(({ url, id }) => (url === undefined) !== (id === undefined), 'must have exactly one of url and id');
export type ItemAction = z.output<typeof action>;

export const itemContent = {
  url: link.optional().describe('Link of the item: a path of your page, or an https address'),
  data: freeForm()
    .refine(
      (data) => new TextEncoder().encode(JSON.stringify(data)).length <= DATA_BYTES_MAX,
      `must have at most ${DATA_BYTES_MAX} bytes as JSON`,
    )
    .optional()
    .describe('Any data for your page, at most 32 KiB'),
  actions: z.array(action).min(1).max(ACTIONS_MAX).optional().describe('Buttons, at most 3'),
  category: categoryId.optional().describe('Lists can be filtered by it'),
  icon: link.optional().describe('Address of a picture'),
} as const;

/** The stored form of the same. */
export interface ItemContent {
  readonly url?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly actions?: readonly ItemAction[] | undefined;
  readonly category?: string | undefined;
  readonly icon?: string | undefined;
}
