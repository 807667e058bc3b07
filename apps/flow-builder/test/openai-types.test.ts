// Answers of /openai/v1 have the types of OpenAI's official client, besides two reasons to finish
// (docs/openai.md#typescript): the compiler compares them.
import { expect, test } from '@jest/globals';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Response } from 'openai/resources/responses/responses';
import type { z } from 'zod';
import { modelResponse } from '../src/chat/response-schemas.ts';
import { chatCompletion } from '../src/chat/schemas.ts';

type Completion = z.output<typeof chatCompletion>;
type Choice<Of extends { choices: readonly object[] }> = Omit<Of['choices'][number], 'finish_reason'>;

const toCompletion = (wire: Completion): Omit<ChatCompletion, 'choices'> => wire;
const toChoice = (wire: Choice<Completion>): Choice<ChatCompletion> => wire;
/** The client adds `output_text`. */
const toResponse = (wire: z.output<typeof modelResponse>): Omit<Response, 'output_text'> => wire;
// @ts-expect-error a member is missing
const planted = (wire: Omit<Completion, 'usage' | 'id'>): Omit<ChatCompletion, 'choices'> => wire;

test('the schemas are those of answers', () => {
  expect([toCompletion, toChoice, toResponse, planted]).toHaveLength(4);
  expect(chatCompletion.shape.choices.element.shape.finish_reason.options).toEqual([
    'stop',
    'tool_calls',
    'end',
    'handoff',
  ]);
  expect(modelResponse.shape.status.value).toBe('completed');
});
