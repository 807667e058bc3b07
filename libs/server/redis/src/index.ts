// Connections to Redis: one server, Sentinel or Cluster. See README.md.
export { buildKeyPrefix, connectRedis, parseRedisUrl } from './connect-redis.ts';
