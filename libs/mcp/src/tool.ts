// The type of a tool, and schemas that tools share. tools.ts lists the tools, server.ts serves
// them, docs/mcp.md documents them.
import { z } from 'zod';
import type { Services } from './services.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** Effects of a call. Clients ask their users by these hints (docs/mcp.md#tools). */
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
  /** `input` is the parsed arguments. */
  readonly run: (services: Services, input: never, signal: AbortSignal) => Answer | Promise<Answer>;
}

/** Infers the type of the arguments from their schema. Unknown arguments are refused by name. */
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
  .describe('Number of items omitted from each list because the answer was too long');

export const text = (max = 200) => z.string().min(1).max(max);
export const flowId = text().describe('Id of the flow');
export const version = z.int().min(1);
export const cursor = text(1_000).describe('`next_cursor` of the previous page');
export const limit = z.int().min(1).max(50).default(20).describe('Items per page');
export const definition = z
  .record(z.string(), z.unknown())
  .describe('A flow definition; its schema is the resource parley://flow-language/schema');
export const variables = z.record(z.string(), z.unknown()).describe('Initial variables of the conversation');
export const nextCursor = z.string().nullish().describe('null or absent on the last page');
/** Items whose members the service's document describes. */
export const items = z.array(z.looseObject({}));
