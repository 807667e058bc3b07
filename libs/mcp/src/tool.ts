// What a tool is: a row of the table in tools.ts, which server.ts serves and docs/mcp.md lists.
import { z } from 'zod';
import type { Services } from './services.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** What a call does to the world; the hints that clients ask their users by follow from it (docs/mcp.md#tools). */
export const effects = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  appends: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  overwrites: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  sends: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: keyof typeof effects;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `input` is what the schema made of the arguments. */
  readonly run: (services: Services, input: never, signal: AbortSignal) => Answer | Promise<Answer>;
}

/** A row, with the type of its arguments from their schema. Arguments that it does not know are refused by name. */
export function tool<Input extends z.ZodRawShape>({
  input,
  output,
  run,
  ...row
}: Omit<Tool, 'input' | 'output' | 'run'> & {
  readonly input: Input;
  readonly output: z.ZodRawShape;
  readonly run: (
    services: Services,
    input: z.output<z.ZodObject<Input>>,
    signal: AbortSignal,
  ) => Answer | Promise<Answer>;
}): Tool {
  return {
    ...row,
    input: z.strictObject(input),
    output: z.looseObject({ ...output, omitted: omitted.optional() }),
    run,
  };
}

const omitted = z
  .record(z.string(), z.int())
  .describe('How many items of a list were left out because the answer was too long');

export const text = (max = 200) => z.string().min(1).max(max);
export const flowId = text().describe('Id of the flow');
export const version = z.int().min(1);
export const cursor = text(1_000).describe('`next_cursor` of the page before');
export const limit = z.int().min(1).max(50).default(20).describe('Items of a page');
export const definition = z
  .record(z.string(), z.unknown())
  .describe('A flow definition: the resource parley://flow-language/schema says what it may hold');
export const variables = z.record(z.string(), z.unknown()).describe('What the conversation knows before');
export const nextCursor = z.string().nullish().describe('null or absent: this was the last page');
/** Members of what a service answers, which its own document describes. */
export const items = z.array(z.looseObject({}));
