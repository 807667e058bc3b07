// JSON Schemas that members of a node share.
import { assignmentOps } from '@parley/flow-engine/define/assignments';
import { limits } from '@parley/flow-engine/define/limits';
import { nodeTypes } from '@parley/flow-engine/define/node-types';
import type { Schema } from './member-spec.ts';

export const id: Schema = {
  type: 'string',
  pattern: `^[A-Za-z0-9_.:-]{1,${limits.idCharsMax}}$`,
  not: { enum: ['__proto__', 'constructor', 'prototype'] },
};
export const flag: Schema = { type: 'boolean' };
export const object: Schema = { type: 'object' };
export const count: Schema = { type: ['integer', 'null'], minimum: 0 };
export const words: Schema = { type: 'array', items: { type: 'string' } };
export const exampleTexts: Schema = {
  type: 'array',
  maxItems: limits.examplesMax,
  items: { type: 'string', pattern: '\\S', maxLength: limits.exampleCharsMax },
};
const exampleList: Schema = { anyOf: [exampleTexts, { type: 'null' }] };
/** What a choice may have beside its value and synonyms. */
export const taughtChoices: Schema = {
  type: 'array',
  items: {
    anyOf: [
      { type: ['string', 'number', 'boolean'] },
      { type: 'object', properties: { examples: exampleList, counter_examples: exampleList } },
    ],
  },
};
const placeholder: Schema = { type: 'string', pattern: '\\{\\{' };

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const constraints = Object.keys(nodeTypes.message.constraints).map(snakeCase);

/** An entry of `set`: a variable, and exactly one of the operations. */
const operands: Readonly<Partial<Record<keyof typeof assignmentOps, Schema>>> = {
  add: { anyOf: [{ type: 'number' }, placeholder] },
  clear: { const: true },
};
export const assignment: Schema = {
  type: 'object',
  properties: {
    variable: { type: 'string', pattern: '\\S', description: 'The path that is written.' },
    ...Object.fromEntries(
      Object.entries(assignmentOps).map(([op, description]) => [
        op,
        { ...operands[op as keyof typeof assignmentOps], description },
      ]),
    ),
  },
  required: ['variable'],
  oneOf: Object.keys(assignmentOps).map((op) => ({ required: [op] })),
};

export const call: Schema = {
  type: 'object',
  properties: {
    flow_id: { type: 'string', minLength: 1 },
    version: { anyOf: [{ const: 'published' }, { type: 'integer', minimum: 1 }] },
    input: {
      type: ['object', 'null'],
      maxProperties: limits.assignmentsMax,
      description: 'What the called flow begins with, by variable. Templates.',
    },
    output: {
      type: ['array', 'null'],
      maxItems: limits.assignmentsMax,
      items: { type: 'string' },
      description: 'The variables that come back; absent: all.',
    },
  },
  required: ['flow_id', 'version'],
  additionalProperties: false,
};
