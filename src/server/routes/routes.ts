/** The table of routes: everything that the HTTP API can do. */
import { forkRoutes } from './fork-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { journalRoutes } from './journal-routes.ts';
import { lookRoutes } from './look-routes.ts';
import { questionRoutes } from './question-routes.ts';
import type { Route } from './route.ts';
import { runRoutes } from './run-routes.ts';
import { spanRoutes } from './span-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { toolRoutes } from './tool-routes.ts';

export const routes: readonly Route[] = [
  ...runRoutes,
  ...journalRoutes,
  ...spanRoutes,
  ...lookRoutes,
  ...exportRoutes,
  ...forkRoutes,
  ...questionRoutes,
  ...toolRoutes,
  ...systemRoutes,
];
