/** The screens and their addresses. Each screen is loaded when it is first shown. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import {
  type InboxSearch,
  parseSearch,
  readSearch,
  type RunSearch,
  type RunsSearch,
  type ToolsSearch,
  writeSearch,
} from './search.ts';
import { Fault, Loading, NotFound } from './states.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- this is how the router is told.
    throw redirect({ to: '/runs', replace: true });
  },
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: readSearch<RunsSearch>('state', 'subject', 'session'),
  component: lazyRouteComponent(() => import('../runs/runs-screen.tsx'), 'RunsScreen'),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  validateSearch: readSearch<RunSearch>('span', 'filter', 'zoom', 'gaps', 'clock', 'sort', 'pane', 'seq', 'against'),
  component: lazyRouteComponent(() => import('../run/run-screen.tsx'), 'RunScreen'),
});

const waterfall = createRoute({
  getParentRoute: () => run,
  path: '/',
  component: lazyRouteComponent(() => import('../waterfall/waterfall-tab.tsx'), 'WaterfallTab'),
});

const transcript = createRoute({
  getParentRoute: () => run,
  path: '/transcript',
  component: lazyRouteComponent(() => import('../transcript/transcript-tab.tsx'), 'TranscriptTab'),
});

const context = createRoute({
  getParentRoute: () => run,
  path: '/context',
  component: lazyRouteComponent(() => import('../context/context-tab.tsx'), 'ContextTab'),
});

const state = createRoute({
  getParentRoute: () => run,
  path: '/state',
  component: lazyRouteComponent(() => import('../state/state-tab.tsx'), 'StateTab'),
});

const decisions = createRoute({
  getParentRoute: () => run,
  path: '/decisions',
  component: lazyRouteComponent(() => import('../decisions/decisions-tab.tsx'), 'DecisionsTab'),
});

const logs = createRoute({
  getParentRoute: () => run,
  path: '/logs',
  component: lazyRouteComponent(() => import('../logs/logs-tab.tsx'), 'LogsTab'),
});

const raw = createRoute({
  getParentRoute: () => run,
  path: '/raw',
  component: lazyRouteComponent(() => import('../raw/raw-tab.tsx'), 'RawTab'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId/compare/$other',
  component: lazyRouteComponent(() => import('../compare/compare-screen.tsx'), 'CompareScreen'),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: readSearch<InboxSearch>('item'),
  component: lazyRouteComponent(() => import('../inbox/inbox-screen.tsx'), 'InboxScreen'),
});

const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: readSearch<ToolsSearch>('tool', 'upstream'),
  component: lazyRouteComponent(() => import('../tools/tools-screen.tsx'), 'ToolsScreen'),
});

const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  component: lazyRouteComponent(() => import('../system/system-screen.tsx'), 'SystemScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    runs,
    run.addChildren([waterfall, transcript, context, state, decisions, logs, raw]),
    compare,
    inbox,
    tools,
    system,
  ]),
  parseSearch,
  stringifySearch: writeSearch,
  defaultErrorComponent: Fault,
  // What stands around a screen is there at once.
  defaultPendingComponent: () => <Loading what="the screen" />,
  defaultPendingMs: 0,
  defaultPendingMinMs: 0,
  defaultPreload: false,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
