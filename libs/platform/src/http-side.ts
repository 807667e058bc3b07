// The HTTP half of a service out of its platform and its endpoint tables.
import type { Express } from 'express';
import { alertEndpoints } from '@parley/alerts';
import { auditEndpoint } from '@parley/audit';
import { keyEndpoints, type Product } from '@parley/auth';
import type { Dialect } from '@parley/envelopes';
import {
  createHttpApp,
  type ApiInfo,
  type DescribedWebhook,
  type Endpoint,
  type FaceTable,
  type Limit,
} from '@parley/http';
import { organizationEndpoint } from '@parley/limits';
import type { ServiceName } from '@parley/runtime';
import type { Platform } from './platform.ts';
import type { QueueSide } from './queue-side.ts';

export interface HttpSide {
  readonly service: ServiceName;
  readonly product: Product;
  readonly info: ApiInfo;
  readonly dialect: Dialect;
  /** Endpoints of `/v1`; key management, the audit log, alerts and the organisation are the same everywhere and added here. */
  readonly v1: readonly Endpoint[];
  /** Endpoints of `/product/v1`. */
  readonly productFace: readonly Endpoint[];
  /** Faces of the service's own. */
  readonly otherFaces?: readonly FaceTable[];
  /** Where it is not the platform's own: admits every request whose credential is valid. */
  readonly limit?: Limit;
  /** JSON documents that anybody may read, by their paths. */
  readonly documents?: Readonly<Record<string, () => object>>;
  /** JSON documents that anybody may read, by the path of their folder and a name. */
  readonly folders?: Readonly<Record<string, (name: string) => Promise<object | null>>>;
  /** What /openapi.json says that the service sends to addresses of its customers. */
  readonly webhooks?: readonly DescribedWebhook[];
  /** What /health says beside the status, the store and the version. */
  readonly health?: () => Promise<object>;
}

/** In a process with ROLE=worker the app serves operators only. */
export function createServiceApp(platform: Platform & Pick<QueueSide, 'queues'>, side: HttpSide): Express {
  const { config, clock, log, metrics, sql, ids } = platform;
  const { caps, limit, storage } = platform.limits;
  const keys = keyEndpoints({
    product: side.product,
    environment: config.NODE_ENV === 'production' ? 'live' : 'test',
    dialect: side.dialect,
    sql,
    transact: platform.transact,
    clock,
    ids,
    refuseTooMany: (within, organizationId) => caps.added(within, organizationId, 'api_keys'),
  });
  const organization = organizationEndpoint(side.service, sql, { caps, storage });
  const auditLog = auditEndpoint({ dialect: side.dialect, sql });
  const alerts = alertEndpoints({ dialect: side.dialect, sql });
  const faces: FaceTable[] = [
    { face: 'v1', base: '/v1', endpoints: [...side.v1, ...keys, auditLog, ...alerts, organization] },
    { face: 'product', base: '/product/v1', endpoints: side.productFace },
    ...(side.otherFaces ?? []),
  ];
  return createHttpApp({
    info: side.info,
    dialect: side.dialect,
    faces: config.ROLE === 'worker' ? [] : faces,
    clock,
    log,
    metrics,
    authenticator: platform.authenticator,
    limit: side.limit ?? limit,
    transact: platform.transact,
    sealer: platform.dataSealer,
    checkReplies: config.NODE_ENV !== 'production',
    corsOrigins: config.CORS_ORIGINS,
    trustProxy: config.TRUST_PROXY,
    ...(side.documents ? { documents: side.documents } : {}),
    ...(side.folders ? { folders: side.folders } : {}),
    ...(side.webhooks ? { webhooks: side.webhooks } : {}),
    isAlive: () => platform.queues.isAlive(),
    health: async () => ({
      status: platform.queues.isAlive() ? 'ok' : 'workers_stuck',
      store: platform.store.readiness(),
      ...(await side.health?.()),
      version: side.info.version,
    }),
    ready: async () => platform.store.readiness().ready && platform.databaseClock.isRight(),
  });
}
