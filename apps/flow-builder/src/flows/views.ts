// Converts rows of the ledger to the wire.
import { flowBuilderDialect } from '@parley/envelopes';
import type { Flow, FlowVersion } from '@parley/store-flow-builder';
import { toEtag } from '../versions/version-ledger.ts';

const { time } = flowBuilderDialect;

/** What lists read of a flow. */
type FlowHead = Omit<Flow, 'organizationId' | 'latestValid'>;

export function toHead(head: FlowHead) {
  return {
    flow_id: head.flowId,
    name: head.name,
    latest_version: head.latestVersion,
    created_at: time(head.createdAt),
    updated_at: time(head.updatedAt),
    ...(head.archivedAt === null ? {} : { archived_at: time(head.archivedAt) }),
  };
}

export function toPublishedHead(head: FlowHead) {
  return {
    ...toHead(head),
    published_version: head.publishedVersion,
    published_at: head.publishedAt === null ? null : time(head.publishedAt),
  };
}

export type ListedFlow = FlowHead & {
  /** Who published the published version. */
  readonly publishedBy: string | null;
  /** Of the latest version. */
  readonly errors: number;
  readonly warnings: number;
};

export function toListedFlow(row: ListedFlow) {
  const { publishedBy, errors, warnings } = row;
  return { ...toPublishedHead(row), published_by: publishedBy, problems: { errors, warnings } };
}

/** `updated_at` is when this version was written. */
export function toStoredFlow(head: Flow, version: FlowVersion) {
  const isPublished = head.publishedVersion === version.version;
  return {
    flow_id: head.flowId,
    name: version.name,
    version: version.version,
    latest_version: head.latestVersion,
    definition: version.definition,
    validation: version.validation,
    ...(version.calls === null ? {} : { calls: version.calls }),
    created_at: time(head.createdAt),
    updated_at: time(version.createdAt),
    published_version: head.publishedVersion,
    is_draft: !isPublished,
    is_published: isPublished,
    etag: toEtag(version),
  };
}
