// Wire shapes of applications and portal links (docs/portal.md).
import { z } from 'zod';
import { pageQuery, pathId, voiceApiDialect } from '@parley/envelopes';
import { SCOPES } from '@parley/server/http';

const NAME_CHARS_MAX = 255;
const LIFETIME_SECONDS_MIN = 60;
/** A link cannot be revoked alone, so it must expire within a day. */
const LIFETIME_SECONDS_MAX = 86_400;
const LIFETIME_SECONDS_DEFAULT = 3_600;

const { timeSchema: time } = voiceApiDialect;

export const applicationParams = z.strictObject({ application_id: pathId() });
export const applicationListQuery = z.strictObject(pageQuery());

export const putApplication = z
  .strictObject({ name: z.string().min(1).max(NAME_CHARS_MAX).describe('Shown in the portal') })
  .meta({ id: 'PutApplication' });
export type PutApplication = z.output<typeof putApplication>;

export const application = z
  .strictObject({
    id: z.string().describe('Given by you, such as the id of your customer'),
    name: z.string(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Application' });
export const deletedApplication = z.strictObject({
  id: z.string(),
  deleted: z.literal(true),
  webhooks: z.int().describe('Webhooks that were deleted with it'),
});

const appearance = z.strictObject({
  color_scheme: z
    .enum(['light', 'dark'])
    .exactOptional()
    .describe("Default: what the visitor's system prefers"),
  accent_color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0a6664')
    .exactOptional()
    .describe('Colour of buttons and links'),
});
export type PortalAppearance = z.output<typeof appearance>;

export const newPortalLink = z
  .strictObject({
    expires_in_seconds: z
      .int()
      .min(LIFETIME_SECONDS_MIN)
      .max(LIFETIME_SECONDS_MAX)
      .default(LIFETIME_SECONDS_DEFAULT),
    read_only: z.boolean().default(false).describe('The portal shows everything and changes nothing'),
    appearance: appearance.default({}).describe('Looks of the hosted page'),
  })
  .meta({ id: 'NewPortalLink' });
export type NewPortalLink = z.output<typeof newPortalLink>;

export const portalLink = z
  .strictObject({
    token: z.string().describe('The credential of the portal: `Authorization: Bearer ptl_…`'),
    url: z
      .string()
      .nullable()
      .describe('The hosted page of the link, for the browser of your customer; null without PUBLIC_URL'),
    scopes: z.array(z.enum(SCOPES)).describe('Those of its issuer, without `admin`'),
    expires_at: time,
  })
  .meta({ id: 'PortalLink' });
export const revokedLinks = z.strictObject({ id: z.string(), revoked: z.literal(true) });

export const portal = z
  .strictObject({
    application: z.strictObject({ id: z.string(), name: z.string() }),
    scopes: z.array(z.enum(SCOPES)),
  })
  .meta({ id: 'Portal' });
