// What a sender may put into an item beside its text (docs/notifications.md#in-app-inbox): where it leads, what can be done, how it is
// sorted and drawn.
import { z } from 'zod';
import { freeForm, link } from '@parley/envelopes';

const LABEL_CHARS_MAX = 80;
const ACTIONS_MAX = 3;
const DATA_BYTES_MAX = 32 * 1024;

export const category = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 characters of A–Z, a–z, 0–9, ., _ and -');

const action = z
  .strictObject({
    label: z.string().min(1).max(LABEL_CHARS_MAX).regex(/\S/, 'must not be blank'),
    url: link.optional().describe('Where it leads'),
    id: z.string().min(1).max(64).optional().describe('What your page does, in a word of yours'),
  })
  .refine(({ url, id }) => (url === undefined) !== (id === undefined), 'must have exactly one of url and id');
export type ItemAction = z.output<typeof action>;

export const itemContent = {
  url: link.optional().describe('Where the item leads: a path of your page, or an https address'),
  data: freeForm()
    .refine(
      (data) => new TextEncoder().encode(JSON.stringify(data)).length <= DATA_BYTES_MAX,
      `must have at most ${DATA_BYTES_MAX} bytes as JSON`,
    )
    .optional()
    .describe('Whatever your page should know, at most 32 KiB'),
  actions: z.array(action).min(1).max(ACTIONS_MAX).optional().describe('Buttons, at most 3'),
  category: category.optional().describe('What lists can be filtered by'),
  icon: link.optional().describe('Address of a picture'),
} as const;

/** The same as it is kept. */
export interface ItemContent {
  readonly url?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly actions?: readonly ItemAction[] | undefined;
  readonly category?: string | undefined;
  readonly icon?: string | undefined;
}
