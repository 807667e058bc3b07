// Objects whose members the caller names. Zod judges every member before it counts them, an issue for each that is wrong, and a body
// has room for 200,000. Here they are counted first, as zod itself does with arrays.
import { z } from 'zod';

/** Members of any object of a request. The largest definition has a few in each of its many, and a bag some hundred. */
export const MEMBERS_MAX = 10_000;

/** An object of at most `max` members: `key` says how they may be called, `value` what they may be. */
export function members<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  max: number,
  key: Key,
  value: Value,
) {
  const counted = z
    .unknown()
    .superRefine((given, context) => {
      if (typeof given !== 'object' || given === null || Object.keys(given).length <= max) return;
      const message = `must have at most ${max} members`;
      context.addIssue({ code: 'too_big', origin: 'object', maximum: max, inclusive: true, message });
    })
    .meta({
      type: 'object',
      maxProperties: max,
      propertyNames: schemaOf(key),
      additionalProperties: schemaOf(value),
    });
  return counted.pipe(z.record(key, value));
}

/** Any object, of at most MEMBERS_MAX members. */
export function freeForm() {
  return members(MEMBERS_MAX, z.string(), z.unknown());
}

function schemaOf(part: z.core.$ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(part, { io: 'input' });
  return schema;
}
