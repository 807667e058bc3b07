// The list of templates, and one template.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { listSearch } from '../../lists/list-search.ts';
import { shellRoute } from '../../root/routes.tsx';
import { PARTS } from './words.rules.ts';

export const templatesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/templates',
  validateSearch: z.object(listSearch),
  component: lazyRouteComponent(() => import('./templates-page.tsx'), 'TemplatesPage'),
});

export const templateRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notifications/templates/$templateId',
  validateSearch: z.object({
    /** Default: the published version, else the newest. */
    version: z.coerce.number().int().min(1).optional().catch(undefined),
    language: z.string().max(35).optional().catch(undefined),
    channel: z.enum(PARTS).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./template-page.tsx'), 'TemplatePage'),
});

export const templateRoutes = [templatesRoute, templateRoute];
