// The forms of answers. Pure: no I/O, no Node modules.
export { codes, type Code } from './codes.ts';
export {
  toWorkResult,
  AppError,
  unwrapResult,
  problemIn,
  type WorkResult,
  type FieldProblem,
  type RequestPart,
} from './app-error.ts';
export {
  internalErrorBody,
  flowBuilderDialect,
  notificationsDialect,
  toErrorBody,
  voiceApiDialect,
  type Dialect,
} from './dialects.ts';
export { openAiDialect } from './openai-dialect.ts';
export { decodeCursor, encodeCursor, createCursorError, pageQuery, toPage } from './page.ts';
export { anyObject, freeForm, members, MEMBERS_MAX } from './members.ts';
export { httpsAddress, isHttpsAddress, link } from './link.ts';
export { isPathId, pathId } from './path-id.ts';
export { jsonPointer } from './json-pointer.ts';
