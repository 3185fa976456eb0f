/** An answer to a question, given for the version of it that was read: a question that has changed since cannot be answered with it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { say } from '../app/spoken.tsx';
import { systemQuery } from '../app/queries.ts';
import { ask, RequestFailed, wordsOf } from '../wire/request.ts';
import { refreshInbox } from './items.ts';

export interface Answering<Body> {
  readonly answer: (body: Body, words: string) => void;
  readonly isPending: boolean;
  /** Why it was not taken, and whether the question is over. */
  readonly fault: { readonly words: string; readonly isOver: boolean } | undefined;
  /** Why this page may not answer. */
  readonly forbidden: string | undefined;
}

export function useAnswer<Body>(path: string, etag: string, onAnswered: (words: string) => void): Answering<Body> {
  const queries = useQueryClient();
  const { data: system } = useQuery(systemQuery);
  const mutation = useMutation({
    mutationFn: ({ body }: { readonly body: Body; readonly words: string }) =>
      ask(path, { method: 'POST', body, headers: { 'if-match': etag } }),
    onSuccess: (_, { words }) => {
      say(words);
      onAnswered(words);
      void refreshInbox(queries);
    },
  });
  return {
    answer: (body, words) => mutation.mutate({ body, words }),
    isPending: mutation.isPending,
    fault: mutation.error === null ? undefined : faultOf(mutation.error),
    forbidden:
      system === undefined
        ? undefined
        : system.isReadOnly
          ? 'This server is read-only.'
          : system.scopes.includes('approve')
            ? undefined
            : 'Your token may read, and not answer.',
  };
}

const over = new Set(['decision-already-made', 'decision-invalid', 'precondition-failed', 'run-ended']);

function faultOf(error: Error): { readonly words: string; readonly isOver: boolean } {
  const { what, remedy, code } = wordsOf(error);
  const isOver =
    error instanceof RequestFailed && (error.status === 409 || error.status === 412 || error.status === 404);
  return { words: remedy === undefined ? what : `${what} ${remedy}`, isOver: isOver && over.has(code ?? '') };
}
