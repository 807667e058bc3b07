// Answers of /openai/v1 have the types of OpenAI's official client (docs/openai.md#typescript): the
// compiler compares them.
import { expect, test } from '@jest/globals';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Response } from 'openai/resources/responses/responses';
import type { z } from 'zod';
import { modelResponse } from '../src/chat/response-schemas.ts';
import { chatCompletion } from '../src/chat/schemas.ts';

const toCompletion = (wire: z.output<typeof chatCompletion>): ChatCompletion => wire;
/** The client adds `output_text`. */
const toResponse = (wire: z.output<typeof modelResponse>): Omit<Response, 'output_text'> => wire;
// @ts-expect-error a member is missing
const planted = (wire: Omit<z.output<typeof chatCompletion>, 'usage' | 'id'>): ChatCompletion => wire;

test('the schemas are those of answers', () => {
  expect([toCompletion, toResponse, planted]).toHaveLength(3);
  expect(chatCompletion.shape.choices.element.shape.finish_reason.options).toEqual(['stop', 'tool_calls']);
  expect(modelResponse.shape.status.value).toBe('completed');
});
