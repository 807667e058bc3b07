// The forms of answers. Pure: no I/O, no Node modules.
export { codes, type Code, type CodeRow } from './codes.ts';
export {
  toWorkResult,
  AppError,
  unwrapResult,
  problemIn,
  type WorkResult,
  type AppErrorOptions,
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
  type ErrorBody,
  type ReplyMeta,
} from './dialects.ts';
export { openAiDialect } from './openai-dialect.ts';
export {
  decodeCursor,
  encodeCursor,
  createCursorError,
  pageQuery,
  toPage,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type Page,
} from './page.ts';
export { anyObject, freeForm, members, MEMBERS_MAX } from './members.ts';
export { httpsAddress, isHttpsAddress, link } from './link.ts';
export { isPathId, pathId } from './path-id.ts';
export { jsonPointer } from './json-pointer.ts';
