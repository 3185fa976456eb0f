/** Changes words of the address of a run: `undefined` takes one out. What is shown is in the address, so that a link reproduces it. */
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { RunSearch } from '../app/search.ts';

export type Change = (words: { readonly [Name in keyof RunSearch]?: RunSearch[Name] | undefined }) => void;

export function useChange(): Change {
  const navigate = useNavigate();
  return useCallback(
    (words) => {
      void navigate({ to: '.', replace: true, search: (before: RunSearch) => withWords(before, words) });
    },
    [navigate],
  );
}

function withWords(before: RunSearch, words: Parameters<Change>[0]): RunSearch {
  const after: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...before, ...words })) if (value !== undefined) after[name] = value;
  return after;
}
