/** Where the page begins. */
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/cards.css';
import './style/shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './app/queries.ts';
import { router } from './app/router.tsx';
import { showLooks } from './app/settings.ts';
import { listenToKeys } from './keys/listen.ts';
import { takeTokenFromAddress } from './wire/token.ts';

takeTokenFromAddress();
showLooks();
listenToKeys();

const page = document.getElementById('page');
if (page === null) throw new Error('index.html has no element with the id "page".');
createRoot(page).render(
  <StrictMode>
    <QueryClientProvider client={createQueries()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
