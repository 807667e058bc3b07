// Requests of the flow pages to the flow builder.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Validation } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { readBody, flowBuilder } from '../api/clients.ts';
import type { components } from '@parley/sdk/flow-builder';

type Schemas = components['schemas'];
export type StoredFlow = Omit<Schemas['StoredFlow'], 'definition' | 'validation'> & {
  readonly definition: AuthoredFlow;
  readonly validation: Validation;
};
export type ListedFlow = Schemas['ListedFlow'];
export type ConversationTest = Schemas['ConversationTest'];
export type StoredTest = Schemas['StoredTest'];
export type TestRun = Schemas['TestRun'];
export type ImportedFlow = Schemas['ImportedFlow'];

export type AssistantReply = Schemas['AssistantReply'];
export type Proposal = NonNullable<AssistantReply['proposal']>;

const PER_PAGE = 25;

export interface FlowFilters {
  readonly q?: string | undefined;
  readonly published?: 'true' | 'false' | undefined;
}

export const flowsQuery = ({ q, published }: FlowFilters) =>
  infiniteQueryOptions({
    queryKey: ['flows', { q, published }],
    queryFn: ({ pageParam }) =>
      readBody(
        flowBuilder.GET('/v1/flows', {
          params: {
            query: {
              limit: PER_PAGE,
              state: 'true',
              ...(q === undefined || q === '' ? {} : { q }),
              ...(published === undefined ? {} : { published }),
              ...(pageParam === null ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

type Version = number | 'latest' | 'published';

export const flowQuery = (flowId: string, version: Version = 'latest') =>
  queryOptions({
    queryKey: ['flow', flowId, version],
    queryFn: async () => getFlow(flowId, version),
    // A numbered version is immutable, but its publish state is not.
    staleTime: typeof version === 'number' ? 60_000 : 0,
  });

export async function getFlow(flowId: string, version: Version): Promise<StoredFlow> {
  const flow = await readBody(
    flowBuilder.GET('/v1/flows/{flow_id}', { params: { path: { flow_id: flowId }, query: { version } } }),
  );
  return flow as unknown as StoredFlow;
}

const LEDGER_ROWS = 50;

export const versionsQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['flow', flowId, 'versions'],
    queryFn: () =>
      readBody(
        flowBuilder.GET('/v1/flows/{flow_id}/versions', {
          params: { path: { flow_id: flowId }, query: { limit: LEDGER_ROWS } },
        }),
      ),
  });

export const publicationsQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['flow', flowId, 'publications'],
    queryFn: () =>
      readBody(
        flowBuilder.GET('/v1/flows/{flow_id}/publications', {
          params: { path: { flow_id: flowId }, query: { limit: LEDGER_ROWS } },
        }),
      ),
  });

/** Reads all tests: a flow has at most two pages. */
export const testsQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['flow', flowId, 'tests'],
    queryFn: async () => {
      const tests: StoredTest[] = [];
      let cursor: string | null = null;
      do {
        const page: { items: StoredTest[]; next_cursor: string | null } = await readBody(
          flowBuilder.GET('/v1/flows/{flow_id}/tests', {
            params: {
              path: { flow_id: flowId },
              query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
            },
          }),
        );
        tests.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return tests;
    },
  });

/** The effect of publishing a version on callers, and the results of its stored tests. */
export const previewQuery = (flowId: string, version: number) =>
  queryOptions({
    queryKey: ['flow', flowId, 'preview', version],
    queryFn: () =>
      readBody(
        flowBuilder.GET('/v1/flows/{flow_id}/publish/preview', {
          params: { path: { flow_id: flowId }, query: { version } },
        }),
      ),
    staleTime: 0,
    retry: false, // a comparison that is too large stays too large
  });

/** Differences between two versions that callers notice. */
export const behaviourQuery = (flowId: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['flow', flowId, 'behaviour', from, to],
    queryFn: async () => {
      const { behaviour } = await readBody(
        flowBuilder.POST('/v1/flows/{flow_id}/compare', {
          params: { path: { flow_id: flowId } },
          body: { from, to, turns: [] },
        }),
      );
      return behaviour;
    },
    staleTime: 0, // stored tests are part of the comparison
    retry: false,
  });

export async function createFlow(body: {
  readonly flow_id?: string;
  readonly name?: string;
  readonly definition: AuthoredFlow;
}): Promise<StoredFlow> {
  const created = await readBody(
    flowBuilder.POST('/v1/flows', { body: { ...body, definition: { ...body.definition } } }),
  );
  return created as unknown as StoredFlow;
}

/** Converts a flow of another product. Stores nothing. */
export const importFlow = (source: Readonly<Record<string, unknown>>) =>
  readBody(flowBuilder.POST('/v1/flows/import', { body: { source: { ...source } } }));

export async function saveVersion(
  flowId: string,
  body: {
    readonly definition: AuthoredFlow;
    readonly base_version: number;
    readonly note?: string;
    readonly name?: string;
  },
): Promise<StoredFlow> {
  const saved = await readBody(
    flowBuilder.PATCH('/v1/flows/{flow_id}', {
      params: { path: { flow_id: flowId } },
      body: { ...body, definition: { ...body.definition } },
    }),
  );
  return saved as unknown as StoredFlow;
}

export const publish = (
  flowId: string,
  body: { readonly version: number; readonly skip_tests?: true; readonly reason?: string },
) =>
  readBody(flowBuilder.POST('/v1/flows/{flow_id}/publish', { params: { path: { flow_id: flowId } }, body }));

export const unpublish = (flowId: string) =>
  readBody(flowBuilder.DELETE('/v1/flows/{flow_id}/publish', { params: { path: { flow_id: flowId } } }));

export const deleteTest = (flowId: string, name: string) =>
  readBody(
    flowBuilder.DELETE('/v1/flows/{flow_id}/tests/{name}', { params: { path: { flow_id: flowId, name } } }),
  );

/**
 * Stores generated tests that cover every reachable edge of a version, and replaces earlier
 * generated ones.
 */
export const saveGenerated = (flowId: string, version: number) =>
  readBody(
    flowBuilder.POST('/v1/flows/{flow_id}/tests/generate', {
      params: { path: { flow_id: flowId } },
      body: { version, target: 'edges', save: true },
    }),
  );

export const putTest = (flowId: string, name: string, test: ConversationTest) =>
  readBody(
    flowBuilder.PUT('/v1/flows/{flow_id}/tests/{name}', {
      params: { path: { flow_id: flowId, name } },
      body: test,
    }),
  );

/** Whether the assistant can be used, or why not. */
export const assistantQuery = queryOptions({
  queryKey: ['assistant'],
  queryFn: () => readBody(flowBuilder.GET('/v1/assistant')),
});

/** Calls models, so it takes up to a minute. Stores nothing. */
export const askAssistant = (
  flowId: string,
  body: {
    readonly instruction: string;
    readonly definition: AuthoredFlow;
    readonly test?: ConversationTest | undefined;
  },
): Promise<AssistantReply> =>
  readBody(
    flowBuilder.POST('/v1/flows/{flow_id}/assistant', {
      params: { path: { flow_id: flowId } },
      body: { ...body, definition: { ...body.definition } },
    }),
  );
