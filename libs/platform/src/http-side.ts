// Builds the HTTP half of a service from its platform and its endpoint tables.
import type { Express } from 'express';
import { alertEndpoints } from './alerts/index.ts';
import { auditEndpoint } from '@parley/server/audit';
import { keyEndpoints, type Product } from '@parley/auth';
import type { Dialect } from '@parley/envelopes';
import {
  createHttpApp,
  type ApiInfo,
  type WebhookDescription,
  type Endpoint,
  type FaceTable,
  type Limit,
  type PageFile,
} from '@parley/server/http';
import { organizationEndpoint } from '@parley/server/limits';
import type { ServiceName } from '@parley/server/runtime';
import type { Platform } from './platform.ts';
import type { QueueSide } from './queue-side.ts';

export interface HttpSide {
  readonly service: ServiceName;
  readonly product: Product;
  readonly info: ApiInfo;
  readonly dialect: Dialect;
  /**
   * Endpoints of `/v1`. Key management, the audit log, alerts and the organisation are added here.
   */
  readonly v1: readonly Endpoint[];
  /** Endpoints of `/product/v1`. */
  readonly productFace: readonly Endpoint[];
  /** Further faces of the service. */
  readonly otherFaces?: readonly FaceTable[];
  /** Default: the platform's limits. Admits requests with a valid credential. */
  readonly limit?: Limit;
  /** Public JSON documents by path. */
  readonly documents?: Readonly<Record<string, () => object>>;
  /** Public JSON documents by the path of their folder and a name. */
  readonly folders?: Readonly<Record<string, (name: string) => Promise<object | null>>>;
  /** Files of public pages by path, served with GET. */
  readonly pages?: Readonly<Record<string, PageFile>>;
  /** What /openapi.json lists as sent to customers' addresses. */
  readonly webhooks?: readonly WebhookDescription[];
  /** Facts for /health besides the status, the store and the version. */
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
    ...(side.pages && config.ROLE !== 'worker' ? { pages: side.pages } : {}),
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
