/** An answer to a question, given for the version of it that was read: a question that has changed since cannot be answered with it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SystemAnswer } from '../../../src/server/wire.ts';
import { say } from '../app/spoken.tsx';
import { systemQuery } from '../app/queries.ts';
import { ask, RequestFailed, wordsOf } from '../wire/request.ts';
import { refreshInbox } from './items.ts';

export interface Answering<Body> {
  /** Sends it, with the note if there is one. */
  readonly answer: (body: Body, words: string) => void;
  readonly note: string;
  readonly setNote: (text: string) => void;
  /** True while no answer can be given: one is on its way, this page may not, or the question is over. */
  readonly isBlocked: boolean;
  /** Why it was not taken, and whether the question is over. */
  readonly fault: { readonly words: string; readonly isOver: boolean } | undefined;
  /** Why this page may not answer. */
  readonly forbidden: string | undefined;
}

export function useAnswer<Body>(path: string, etag: string, onAnswered: (words: string) => void): Answering<Body> {
  const queries = useQueryClient();
  const { data: system } = useQuery(systemQuery);
  const [note, setNote] = useState('');
  const said = note.trim() === '' ? {} : { note: note.trim() };
  const mutation = useMutation({
    mutationFn: ({ body }: { readonly body: Body; readonly words: string }) =>
      ask(path, { method: 'POST', body: { ...body, ...said }, headers: { 'if-match': etag } }),
    onSuccess: (_, { words }) => {
      say(words);
      onAnswered(words);
      void refreshInbox(queries);
    },
  });
  const fault = mutation.error === null ? undefined : faultOf(mutation.error);
  const forbidden = forbiddenBy(system);
  return {
    answer: (body, words) => mutation.mutate({ body, words }),
    note,
    setNote,
    isBlocked: mutation.isPending || forbidden !== undefined || fault?.isOver === true,
    fault,
    forbidden,
  };
}

function forbiddenBy(system: SystemAnswer | undefined): string | undefined {
  if (system?.isReadOnly === true) return 'This server is read-only.';
  return system?.scopes.includes('approve') === false ? 'Your token may read, and not answer.' : undefined;
}

const over = new Set(['decision-already-made', 'decision-invalid', 'precondition-failed', 'run-ended']);

function faultOf(error: Error): { readonly words: string; readonly isOver: boolean } {
  const { what, remedy, code } = wordsOf(error);
  const isOver =
    error instanceof RequestFailed && (error.status === 409 || error.status === 412 || error.status === 404);
  return { words: remedy === undefined ? what : `${what} ${remedy}`, isOver: isOver && over.has(code ?? '') };
}
