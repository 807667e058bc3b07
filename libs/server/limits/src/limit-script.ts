// The Redis scripts that decide (docs/platform.md#plans-and-limits) and renew leases.
//
// Redis holds for an organisation, under one hash tag, so that a cluster keeps them in one slot:
//   <prefix>:limits:<service>:{<organisation>}:in-flight
//     sorted set: lease -> when it ends, in microseconds of Redis's clock
//   <prefix>:limits:<service>:{<organisation>}:<class>
//     list: when each admitted request (or send) was admitted, oldest first
// The list needs no sorting, since times only grow. An entry takes 10 bytes instead of the 100 of a
// sorted set. All replicas use Redis's clock.
import type { ServiceName } from '@parley/server/runtime';

/**
 * KEYS: in flight, log. ARGV: concurrent (-1: any), lease id, lease in µs, requests (-1: any),
 * window in µs, count. All of the count are admitted or none; at most `requests`, and what a Redis
 * call takes from a script (some thousands).
 * Returns {refused by (0 nobody, 1 concurrency, 2 rate), counted, in flight, µs until there is
 * more}.
 * Refused requests leave no trace. Concurrency is checked first and never counts as a request.
 */
export const ADMIT = `
local at = redis.call('TIME')
local now = at[1] * 1000000 + at[2]
local concurrent, lease, leaseFor = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local requests, window, asked = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

local inFlight = 0
if concurrent >= 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  inFlight = redis.call('ZCARD', KEYS[1])
end

local counted, logged = 0, now
if requests >= 0 then
  local newest = tonumber(redis.call('LINDEX', KEYS[2], -1) or now)
  if newest > now + window then
    redis.call('DEL', KEYS[2]) -- the clock was set back by more than a window: these times say nothing
  elseif newest > now then
    logged = newest -- it was set back a little: time stands still until it has caught up, and the list stays in order
  end
  counted = redis.call('LLEN', KEYS[2])
  local left = logged - window
  if counted > 0 and tonumber(redis.call('LINDEX', KEYS[2], 0)) <= left then
    local low, high = 1, counted -- the first entry that is still in the window is among low..high
    while low < high do
      local middle = math.floor((low + high) / 2)
      if tonumber(redis.call('LINDEX', KEYS[2], middle)) <= left then low = middle + 1 else high = middle end
    end
    redis.call('LTRIM', KEYS[2], low, -1)
    counted = counted - low
  end
end

local function untilRoomFor(count)
  if requests < 0 or counted == 0 then return 0 end
  return tonumber(redis.call('LINDEX', KEYS[2], math.max(0, counted + count - 1 - requests))) + window - logged
end

if concurrent >= 0 and inFlight >= concurrent then return {1, counted, inFlight, untilRoomFor(asked)} end
if requests >= 0 and counted + asked > requests then return {2, counted, inFlight, untilRoomFor(asked)} end

if concurrent >= 0 then
  redis.call('ZADD', KEYS[1], now + leaseFor, lease)
  redis.call('PEXPIRE', KEYS[1], math.ceil(leaseFor / 1000))
  inFlight = inFlight + 1
end
if requests >= 0 then
  local times = {}
  for index = 1, asked do times[index] = string.format('%.0f', logged) end
  redis.call('RPUSH', KEYS[2], unpack(times))
  redis.call('PEXPIRE', KEYS[2], math.ceil(window / 1000))
  counted = counted + asked
end
return {0, counted, inFlight, untilRoomFor(1)}
`;

/** KEYS: in flight. ARGV: lease in µs, lease ids. Also restores leases that Redis lost. */
export const RENEW = `
local at = redis.call('TIME')
local ends = at[1] * 1000000 + at[2] + tonumber(ARGV[1])
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], math.ceil(tonumber(ARGV[1]) / 1000))
return 0
`;

/** Key prefix of a service: services that share a Redis count separately. */
export function buildLimitsPrefix(queuePrefix: string, service: ServiceName): string {
  return `${queuePrefix}:limits:${service}`;
}

export function buildInFlightKey(prefix: string, organizationId: string): string {
  return `${prefix}:{${toHashTag(organizationId)}}:in-flight`;
}

export function buildLogKey(prefix: string, organizationId: string, limitClass: string): string {
  return `${prefix}:{${toHashTag(organizationId)}}:${limitClass}`;
}

/** A brace in an id would end the hash tag. */
function toHashTag(organizationId: string): string {
  return encodeURIComponent(organizationId);
}
