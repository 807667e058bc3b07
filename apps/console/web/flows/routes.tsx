// Flows: list, canvas, tests and versions of them.
import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../shell/routes.tsx';
import { Empty, Page } from '../ui/page.tsx';

const flowsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/flows',
  component: Flows,
});

export const flowRoutes = [flowsRoute];

function Flows() {
  return (
    <Page title="Flows">
      <Empty icon="flows" title="No flow yet" />
    </Page>
  );
}
