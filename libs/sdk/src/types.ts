// Derives the types of methods from the types of the OpenAPI documents.
import type { Call, Pages } from './call.ts';
import type { EventStream, StreamEvent } from './event-stream.ts';
import type { components } from './generated/notifications.ts';
import type { CallOptions, Operation } from './options.ts';

/** `never` means that the document has none. */
type Present<Part> = [Part] extends [never] ? unknown : Part;
type Parameters<Op> = Op extends { parameters: infer All } ? All : never;
type PathOf<Op> = Parameters<Op> extends { path: infer Path } ? Path : unknown;
type QueryOf<Op> = Parameters<Op> extends { query?: infer Query } ? Present<NonNullable<Query>> : unknown;
type BodyOf<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Op extends { requestBody?: infer Request }
    ? NonNullable<Request> extends { content: { 'application/json': infer Body } }
      ? [Request] extends [undefined]
        ? unknown
        : { body?: Body }
      : unknown
    : unknown;

/** The input of a method: parameters of path and query by name, and the body as `body`. */
export type InputOf<Op> = Flat<PathOf<Op> & QueryOf<Op> & BodyOf<Op>>;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

type ContentOf<Reply> = Reply extends { content: infer Content }
  ? Content extends { 'application/json': infer Body }
    ? Body
    : Content[keyof Content]
  : undefined;
type Replies<Op> = Op extends { responses: infer All } ? All[keyof All & (200 | 201 | 202 | 204)] : never;
type Unwrapped<Body> = Body extends { success: true; data: infer Data } ? Data : Body;

/** The answer of a method. */
export type DataOf<Op> = Unwrapped<ContentOf<Replies<Op>>>;

type ItemOf<Data, Member extends string> =
  Data extends Readonly<Record<Member, readonly (infer Item)[]>> ? Item : never;

type InAppNotification = components['schemas']['InAppNotification'];
/** One item, or all existing ones. */
type ItemsChange =
  | { readonly id: string; readonly notification_id: string; readonly all?: undefined }
  | { readonly all: true; readonly id?: undefined };
/**
 * Events of an inbox stream (docs/notifications.md#event-stream). After `reset` read the list
 * again.
 */
export type InboxEvent =
  | StreamEvent<'created', InAppNotification>
  | StreamEvent<'read', ItemsChange & { readonly read_at: number }>
  | StreamEvent<'snoozed', ItemsChange & { readonly snoozed_until: number }>
  | StreamEvent<'unread' | 'archived' | 'unarchived' | 'unsnoozed' | 'deleted', ItemsChange>
  | StreamEvent<'unread_count', { readonly unread_count: number; readonly unseen_count: number }>
  | StreamEvent<'reset', unknown>;

type ResultOf<Id, Row, Op> = Row extends { stream: true }
  ? EventStream<Id extends 'streamNotifications' ? InboxEvent : StreamEvent>
  : Row extends { pages: infer Member extends string }
    ? Pages<DataOf<Op>, ItemOf<DataOf<Op>, Member>>
    : Call<DataOf<Op>>;

type Arguments<Input> = object extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions];

/** Methods for a table of operations. */
export type Methods<Table extends Readonly<Record<string, Operation>>, Operations> = {
  readonly [Id in keyof Table & keyof Operations]: (
    ...given: Arguments<InputOf<Operations[Id]>>
  ) => ResultOf<Id, Table[Id], Operations[Id]>;
};
