// Objects whose members the caller names. zod validates every member before it counts them, one
// issue for each, and a body has room for 200,000; here they are counted first. zod also copies the
// object without `__proto__`; here it stays unchanged (docs/platform.md#limits).
import { z } from 'zod';

/**
 * Members of any object of a request. The largest definition has a few in each of its many objects,
 * variables have some hundred.
 */
export const MEMBERS_MAX = 10_000;

/** An object of at most `max` members: `key` restricts their names, `value` their values. */
export function members<Value extends z.ZodType>(max: number, key: z.ZodType<string>, value: Value) {
  const schema = { propertyNames: schemaOf(key), additionalProperties: schemaOf(value) };
  return objectUnchanged<z.output<Value>>({ ...schema, maxProperties: max }, max, (given, context) => {
    for (const [name, member] of Object.entries(given))
      for (const { error } of [key.safeParse(name), value.safeParse(member)])
        for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: [name, ...issue.path] });
  });
}

/** Any object of at most MEMBERS_MAX members. */
export function freeForm() {
  return objectUnchanged<unknown>({ maxProperties: MEMBERS_MAX, additionalProperties: {} }, MEMBERS_MAX);
}

/** Any object outside of requests: in a message, in a stored document. */
export const anyObject = objectUnchanged<unknown>({ additionalProperties: {} }, Infinity);

/** Validates the members only when there are no more than `max`. */
function objectUnchanged<Member>(
  schema: object,
  max: number,
  look?: (given: object, context: z.RefinementCtx) => void,
): z.ZodType<Record<string, Member>> {
  return z
    .unknown()
    .superRefine((given, context) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given))
        context.addIssue({ code: 'invalid_type', expected: 'record', input: given, continue: false });
      else if (Object.keys(given).length > max) {
        const message = `must have at most ${max} members`;
        const tooBig = { code: 'too_big', origin: 'object', maximum: max, inclusive: true } as const;
        context.addIssue({ ...tooBig, message, continue: false });
      } else look?.(given, context);
    })
    .meta({ type: 'object', ...schema }) as unknown as z.ZodType<Record<string, Member>>;
}

function schemaOf(part: z.core.$ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(part, { io: 'input' });
  return schema;
}
