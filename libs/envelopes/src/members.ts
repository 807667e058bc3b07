// Objects whose members the caller names. Zod judges every member before it counts them, an issue for each that is wrong, and a body
// has room for 200,000: here they are counted first, as zod itself does with arrays. Zod also copies them and leaves `__proto__` out:
// here the object is given as it came, since such a name is data like any other (docs/platform.md#limits).
import { z } from 'zod';

/** Members of any object of a request. The largest definition has a few in each of its many, and a bag some hundred. */
export const MEMBERS_MAX = 10_000;

/** An object of at most `max` members: `key` says how they may be called, `value` what they may be. */
export function members<Value extends z.ZodType>(max: number, key: z.ZodType<string>, value: Value) {
  const schema = { propertyNames: schemaOf(key), additionalProperties: schemaOf(value) };
  return objectAsGiven<z.output<Value>>({ ...schema, maxProperties: max }, max, (given, context) => {
    for (const [name, member] of Object.entries(given))
      for (const { error } of [key.safeParse(name), value.safeParse(member)])
        for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: [name, ...issue.path] });
  });
}

/** Any object, of at most MEMBERS_MAX members. */
export function freeForm() {
  return objectAsGiven<unknown>({ maxProperties: MEMBERS_MAX, additionalProperties: {} }, MEMBERS_MAX);
}

/** Any object of what is no request: a message, a stored document. */
export const anyObject = objectAsGiven<unknown>({ additionalProperties: {} }, Infinity);

/** Its members are looked at only where there are no more than `max`. */
function objectAsGiven<Member>(
  schema: object,
  max: number,
  look?: (given: object, context: z.RefinementCtx) => void,
): z.ZodType<Record<string, Member>> {
  return z
    .unknown()
    .superRefine((given, context) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given))
        context.addIssue({ code: 'invalid_type', expected: 'record', input: given });
      else if (Object.keys(given).length > max) {
        const message = `must have at most ${max} members`;
        context.addIssue({ code: 'too_big', origin: 'object', maximum: max, inclusive: true, message });
      } else look?.(given, context);
    })
    .meta({ type: 'object', ...schema }) as unknown as z.ZodType<Record<string, Member>>;
}

function schemaOf(part: z.core.$ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(part, { io: 'input' });
  return schema;
}
