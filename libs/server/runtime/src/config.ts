// Reads the configuration of a service from the environment by one zod schema, and reports every
// problem (docs/platform.md#configuration).
import { z } from 'zod';
import { identityClaimsVariable, type IdentityClaims } from './identity-claims.ts';
import { refuseRenamedVariables } from './renamed-variables.ts';
import { Secret } from './secret.ts';

/** The environment, passed by main.ts. Nothing else reads `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type ConfigResult<Config> = { ok: true; config: Config } | { ok: false; problems: string[] };

/** Parses the environment. An empty variable counts as absent, as in Kubernetes and compose. */
export function readConfig<Config>(schema: z.ZodType<Config>, env: Environment): ConfigResult<Config> {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const names = new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
  const renamed = refuseRenamedVariables(names, present);
  const parsed = schema.safeParse(present);
  if (parsed.success) return renamed.length === 0 ? { ok: true, config: parsed.data } : refuse(renamed);
  const problems = parsed.error.issues.map((issue) => ({
    name: issue.path.join('.') || '(configuration)',
    message: issue.message,
    absent: issue.code !== 'custom' && present[String(issue.path[0])] === undefined,
  }));
  const named = new Set(problems.map(({ name }) => name));
  return refuse([
    ...renamed,
    ...problems.map(({ name, message, absent }) => (absent ? `${name} is not set` : `${name}: ${message}`)),
    ...listRuleProblems(schema, present)
      .filter(({ name }) => !named.has(name))
      .map(({ name, message }) => `${name}: ${message}`),
  ]);
}

function refuse(problems: string[]) {
  return { ok: false, problems } as const;
}

/**
 * Problems of the rules between variables. zod skips these rules when a variable is invalid, and an
 * operator would meet them only at the next start. So they run again with the valid variables.
 */
function listRuleProblems(schema: z.ZodType, present: Environment): { name: string; message: string }[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const value = Object.fromEntries(
    Object.entries(schema.shape as z.ZodRawShape).map(([name, variable]) => [
      name,
      z.safeParse(variable, present[name]).data,
    ]),
  );
  const payload: z.core.ParsePayload = { value, issues: [] };
  for (const check of (schema.def.checks ?? []) as z.core.$ZodCheck<unknown>[]) {
    try {
      void check._zod.check(payload);
    } catch {
      // A rule failed because an invalid variable is missing; that variable is already reported.
    }
  }
  return payload.issues.map((issue) => ({
    name: (issue.path ?? []).join('.') || '(configuration)',
    message: issue.message ?? 'is not accepted',
  }));
}

/** The configuration for the start-up log line: secrets only as configured or not. */
export function summarizeConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) =>
      value instanceof Secret ? [`${name}_configured`, true] : [name, value],
    ),
  );
}

/** A true/false variable. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A whole number between two bounds. */
export function integer(min: number, max: number) {
  return z.coerce.number(`must be a whole number from ${min} to ${max}`).int().min(min).max(max);
}

/** A comma-separated list; blanks around commas do not matter. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** A day more than the longest planned wait. */
const WAIT_MS_MAX = 48 * 60 * 60_000;

const wait = z
  .string()
  .refine(
    (text) => /^\d{1,9}$/.test(text) && Number(text) <= WAIT_MS_MAX,
    `must be waits of at most ${WAIT_MS_MAX} ms`,
  )
  .transform(Number);

/** A retry schedule: the waits (ms) after failed attempts, comma-separated. */
export function retryWaits(waitsMin: number, waitsMax: number) {
  const count = waitsMin === waitsMax ? `${waitsMin}` : `${waitsMin} to ${waitsMax}`;
  return list.pipe(
    z.array(wait).min(waitsMin, `must be ${count} waits`).max(waitsMax, `must be ${count} waits`),
  );
}

const referencePattern = /^(env:\/\/[A-Za-z_][A-Za-z0-9_]*|file:\/\/\/.+|vault:\/\/[^/#]+\/[^#]+#.+)$/;

/** A reference to a secret, never its value (docs/platform.md#secrets). */
export const secretReference = z
  .string()
  .regex(referencePattern, 'must be a secret reference: env://NAME, file:///path or vault://mount/path#key');

/** The URL of a server, or a secret reference to it. Wrapped, because it may hold a password. */
export function serverUrl(...schemes: string[]) {
  return z
    .string()
    .refine(
      (text) => referencePattern.test(text) || schemes.some((scheme) => text.startsWith(`${scheme}://`)),
      `must start with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}, or be a secret reference`,
    )
    .transform((text) => new Secret(text));
}

/** Schemes of a Redis URL; libs/jobs parses the rest. `rediss` uses TLS. */
export const REDIS_SCHEMES = [
  'redis',
  'rediss',
  'redis-cluster',
  'rediss-cluster',
  'redis-sentinel',
  'rediss-sentinel',
] as const;

/**
 * Variables that all three services share. A service's schema is `z.object({ ...platformEnv, … })`.
 */
export const platformEnv = {
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .describe('Development switches'),
  ROLE: z
    .enum(['http', 'worker', 'all'])
    .default('all')
    .describe('Which half of the service this process is: HTTP, queue workers, or both'),
  HOST: z.string().default('0.0.0.0').describe('Address to listen on'),
  PORT: integer(1, 65535)
    .default(3000)
    .describe('Port to listen on; a worker serves /health, /ready and /metrics there'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Lowest level that is logged'),
  DATABASE_URL: serverUrl('postgres', 'postgresql').describe("The service's own Postgres database"),
  DATABASE_DIRECT_URL: serverUrl('postgres', 'postgresql')
    .optional()
    .describe('The same database without a transaction pooler, for LISTEN; default DATABASE_URL'),
  DATABASE_POOL_MAX: integer(1, 500).default(10).describe('Maximum connections of a process to Postgres'),
  QUEUE_URL: serverUrl(...REDIS_SCHEMES, 'postgres', 'postgresql').describe(
    'The queue engine. Redis: one server, a cluster or sentinels (libs/jobs); or postgres://, without Redis',
  ),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('parley')
    .describe('Prefix of every queue key, the same in all services of an installation'),
  DATA_KEY: secretReference.describe(
    'Keys that seal secrets at rest: `id:<base64 of 32 bytes>`, comma-separated; the first one seals',
  ),
  QUEUE_KEY: secretReference.describe('Keys that seal queue payloads: same form, the same in all services'),
  MESSAGE_KEYS: secretReference.describe(
    'Keys that sign messages between services: `<party>=<id>:<base64 of 32 bytes>[,…]` for each peer; the first one signs',
  ),
  JOURNAL_DIR: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe(
      'A mounted folder for the journal of revocations, erasures and unsubscribes, outside of the database; without it a restore undoes them',
    ),
  HANDOVER_DAYS: integer(0, 7)
    .default(7)
    .describe(
      'For how long messages to other services are stored after their acknowledgement, to send them again to one whose database was put back',
    ),
  OPERATOR_ORGANIZATION: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'The organisation that gets alerts about the whole installation; without it only logs and metrics report them',
    ),
  VAULT_ADDR: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Vault or OpenBao, for vault:// references'),
  VAULT_TOKEN: secretReference.optional().describe('Token for VAULT_ADDR (env:// or file://)'),
  IDENTITY_JWKS_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('JWKS that verifies identity tokens; https when NODE_ENV=production'),
  IDENTITY_PUBLIC_KEY: secretReference.optional().describe('PEM public key that verifies identity tokens'),
  IDENTITY_SHARED_SECRET: secretReference
    .optional()
    .describe('HS256 secret of identity tokens; refused when NODE_ENV=production'),
  IDENTITY_ISSUER: z.string().optional().describe('Required `iss` of identity tokens'),
  IDENTITY_AUDIENCE: list
    .optional()
    .describe('Accepted `aud` of identity tokens, comma-separated: clients of your identity provider'),
  IDENTITY_CLAIMS: identityClaimsVariable.describe(
    'Names of claims and scopes of groups, as JSON: `{"organization":"org_id","groups":"roles","group_scopes":{"support":{"voice-api":["read"]},"platform":["admin"]}}`',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP) that gets traces; none are recorded without it'),
  OTEL_EXPORTER_OTLP_HEADERS: secretReference
    .optional()
    .describe('Headers for the collector, such as its credential: `name=value`, comma-separated'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number from 0 to 1')
    .min(0)
    .max(1)
    .default(0.01)
    .describe('Share of the traces that is recorded, from 0 to 1'),
  CORS_ORIGINS: list
    .default([])
    .describe('Browser origins that may call the API, comma-separated; none by default'),
  TRUST_PROXY: integer(0, 10).default(0).describe('Number of proxies to trust for client addresses'),
} as const;

type Identity = {
  NODE_ENV: string;
  VAULT_ADDR?: unknown;
  VAULT_TOKEN?: unknown;
  IDENTITY_JWKS_URL?: unknown;
  IDENTITY_PUBLIC_KEY?: unknown;
  IDENTITY_SHARED_SECRET?: unknown;
  IDENTITY_ISSUER?: unknown;
  IDENTITY_AUDIENCE?: unknown;
  IDENTITY_CLAIMS?: IdentityClaims;
};

/** Rules between platform variables: `z.object({ ...platformEnv }).superRefine(platformRules)`. */
export function platformRules(config: Identity, context: z.RefinementCtx): void {
  const problem = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (config.VAULT_ADDR && !config.VAULT_TOKEN) problem('VAULT_TOKEN', 'is needed with VAULT_ADDR');
  const sources = [config.IDENTITY_JWKS_URL, config.IDENTITY_PUBLIC_KEY, config.IDENTITY_SHARED_SECRET];
  const chosen = sources.filter((source) => source !== undefined).length;
  if (chosen > 1) {
    problem(
      'IDENTITY_JWKS_URL',
      'set one of IDENTITY_JWKS_URL, IDENTITY_PUBLIC_KEY and IDENTITY_SHARED_SECRET',
    );
  }
  if (chosen > 0 && !config.IDENTITY_ISSUER)
    problem('IDENTITY_ISSUER', 'is needed to accept identity tokens');
  if (chosen > 0 && !(config.IDENTITY_AUDIENCE as readonly string[] | undefined)?.length)
    problem('IDENTITY_AUDIENCE', 'is needed to accept identity tokens');
  if (
    typeof config.IDENTITY_JWKS_URL === 'string' &&
    config.NODE_ENV === 'production' &&
    !/^https:/i.test(config.IDENTITY_JWKS_URL)
  ) {
    problem('IDENTITY_JWKS_URL', 'must be https: otherwise an attacker on the network could issue tokens');
  }
  const { userinfo } = config.IDENTITY_CLAIMS ?? {};
  if (userinfo !== undefined && config.NODE_ENV === 'production' && !/^https:/i.test(userinfo))
    problem('IDENTITY_CLAIMS', 'must have https in userinfo: otherwise an attacker could give rights');
  if (config.IDENTITY_SHARED_SECRET && config.NODE_ENV === 'production') {
    problem(
      'IDENTITY_SHARED_SECRET',
      'is for development only; use IDENTITY_JWKS_URL or IDENTITY_PUBLIC_KEY',
    );
  }
}
