// From the types of a document to those of methods. Types only.
import type { Call, Pages } from './call.ts';
import type { EventStream, StreamEvent } from './event-stream.ts';
import type { components } from './generated/notifications.ts';
import type { CallOptions, Operation } from './options.ts';

/** `never` where a document says that there is nothing. */
type Given<Part> = [Part] extends [never] ? unknown : Part;
type Parameters<Op> = Op extends { parameters: infer All } ? All : never;
type PathOf<Op> = Parameters<Op> extends { path: infer Path } ? Path : unknown;
type QueryOf<Op> = Parameters<Op> extends { query?: infer Query } ? Given<NonNullable<Query>> : unknown;
type BodyOf<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Op extends { requestBody?: infer Request }
    ? NonNullable<Request> extends { content: { 'application/json': infer Body } }
      ? [Request] extends [undefined]
        ? unknown
        : { body?: Body }
      : unknown
    : unknown;

/** What a method takes: parameters of path and query by their names, and the body as `body`. */
export type InputOf<Op> = Flat<PathOf<Op> & QueryOf<Op> & BodyOf<Op>>;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

type ContentOf<Reply> = Reply extends { content: infer Content }
  ? Content extends { 'application/json': infer Body }
    ? Body
    : Content[keyof Content]
  : undefined;
type Replies<Op> = Op extends { responses: infer All } ? All[keyof All & (200 | 201 | 202 | 204)] : never;
type Unwrapped<Body> = Body extends { success: true; data: infer Data } ? Data : Body;

/** What a method answers. */
export type DataOf<Op> = Unwrapped<ContentOf<Replies<Op>>>;

type ItemOf<Data, Member extends string> =
  Data extends Readonly<Record<Member, readonly (infer Item)[]>> ? Item : never;

type InAppNotification = components['schemas']['InAppNotification'];
/** One item, or everything that was there. */
type Changed =
  | { readonly id: string; readonly notification_id: string; readonly all?: undefined }
  | { readonly all: true; readonly id?: undefined };
/** What the stream of an inbox tells (docs/notifications.md#event-stream). `reset`: read the list again. */
export type InboxEvent =
  | StreamEvent<'created', InAppNotification>
  | StreamEvent<'read', Changed & { readonly read_at: number }>
  | StreamEvent<'snoozed', Changed & { readonly snoozed_until: number }>
  | StreamEvent<'unread' | 'archived' | 'unarchived' | 'unsnoozed' | 'deleted', Changed>
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

/** A method for every row of a table of operations. */
export type Methods<Table extends Readonly<Record<string, Operation>>, Operations> = {
  readonly [Id in keyof Table & keyof Operations]: (
    ...given: Arguments<InputOf<Operations[Id]>>
  ) => ResultOf<Id, Table[Id], Operations[Id]>;
};
