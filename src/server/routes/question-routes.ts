/** What people are asked, and their answers: each names the version of the question that it is for. */
import { AxleError } from '../../error/axle-error.ts';
import { defined } from '../../util/defined.ts';
import { pageOf } from '../schema/components.ts';
import { flag, name, named, oneOf, strictObject, text } from '../schema/json-schema.ts';
import type { Accepted } from '../wire.ts';
import { type Asked, json, param, type Route, textIn } from './route.ts';
import { whoOf } from './run-routes.ts';

const note = { ...text, maxLength: 10_000 };
const ofRun = { run: { about: 'Only those of this run.', schema: name } };
const accepted = { 202: { about: 'The answer is durable, and the driver acts on it.', schema: named('Accepted') } };

export const questionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/approvals',
    id: 'listApprovals',
    about: 'Calls that wait for a person: may they run, with exactly these arguments?',
    scope: 'read',
    query: ofRun,
    answers: { 200: { about: 'The open questions.', schema: pageOf('ApprovalItem') } },
    handle: async ({ parts, query }) => json({ items: await parts.questions.approvals(textIn(query, 'run')) }),
  },
  {
    method: 'POST',
    path: '/v1/approvals/{approvalId}',
    id: 'answerApproval',
    about: 'Approves or denies a call, once. If-Match carries the etag of the question that was read.',
    scope: 'approve',
    needs: 'if-match',
    body: strictObject({ decision: oneOf(['approve', 'deny']) }, { edit: { type: 'object' }, note, by: name }),
    answers: accepted,
    handle: async (asked) => {
      const approvalId = param(asked, 'approvalId');
      const open = await asked.parts.questions.approvals(runOf(approvalId));
      assertSame(
        asked,
        open.find((item) => item.approvalId === approvalId),
      );
      const { body } = asked;
      await asked.parts.axle.approvals.resolve(approvalId, {
        decision: textIn(body, 'decision') === 'approve' ? 'approve' : 'deny',
        ...defined({ edit: body['edit'], note: textIn(body, 'note'), by: whoOf(asked) }),
      });
      return taken(approvalId);
    },
  },
  {
    method: 'GET',
    path: '/v1/authorizations',
    id: 'listAuthorizations',
    about: 'Logins and permissions that calls wait for.',
    scope: 'read',
    query: ofRun,
    answers: { 200: { about: 'What people are asked to authorise.', schema: pageOf('AuthorizationItem') } },
    handle: async ({ parts, query }) => json({ items: await parts.questions.authorizations(textIn(query, 'run')) }),
  },
  {
    method: 'POST',
    path: '/v1/authorizations/{authorizationId}',
    id: 'answerAuthorization',
    about: 'Says whether a person has authorised it. If-Match carries the etag of what was read.',
    scope: 'approve',
    needs: 'if-match',
    body: strictObject({ granted: flag }, { note, by: name }),
    answers: accepted,
    handle: async (asked) => {
      const id = param(asked, 'authorizationId');
      const open = await asked.parts.questions.authorizations(runOf(id));
      assertSame(
        asked,
        open.find(({ authorizationId }) => authorizationId === id),
      );
      await asked.parts.axle.authorizations.resolve(id, {
        granted: asked.body['granted'] === true,
        ...defined({ note: textIn(asked.body, 'note'), by: whoOf(asked) }),
      });
      return taken(id);
    },
  },
  {
    method: 'GET',
    path: '/v1/doubts',
    id: 'listDoubts',
    about: 'Calls in doubt: their side effect was started, and nobody knows whether it happened.',
    scope: 'read',
    query: ofRun,
    answers: { 200: { about: 'The calls that need a person.', schema: pageOf('DoubtItem') } },
    handle: async ({ parts, query }) => json({ items: await parts.questions.doubts(textIn(query, 'run')) }),
  },
  {
    method: 'POST',
    path: '/v1/doubts/{callId}',
    id: 'answerDoubt',
    about: 'Says what happened to a call in doubt. If-Match carries the etag of the doubt that was read.',
    scope: 'approve',
    needs: 'if-match',
    body: {
      oneOf: [
        strictObject({ happened: oneOf([true]) }, { output: {}, note, by: name }),
        strictObject({ happened: oneOf([false]) }, { then: oneOf(['retry', 'fail']), note, by: name }),
      ],
      type: 'object',
      properties: { happened: flag },
      required: ['happened'],
    },
    answers: accepted,
    handle: async (asked) => {
      const id = param(asked, 'callId');
      const open = await asked.parts.questions.doubts(runOf(id));
      assertSame(
        asked,
        open.find((item) => item.id === id),
      );
      const { body } = asked;
      const said = defined({ note: textIn(body, 'note'), by: whoOf(asked) });
      const then = textIn(body, 'then') === 'retry' ? 'retry' : 'fail';
      await asked.parts.axle.calls.resolve(
        id,
        body['happened'] === true
          ? { happened: true, output: body['output'] ?? null, ...said }
          : { happened: false, then, ...said },
      );
      return taken(id);
    },
  },
];

/** What is not open any more is told by whoever takes the answer in: it knows who was first. */
function assertSame({ ifMatch }: Asked, question: { readonly etag: string } | undefined): void {
  if (question === undefined || question.etag === ifMatch) return;
  throw new AxleError('precondition-failed', 'The question is not the one that the answer was given for.', {
    details: { etag: question.etag },
  });
}

/** Approvals and calls are named `run/call`. */
function runOf(id: string): string {
  const stroke = id.indexOf('/');
  if (stroke > 0) return id.slice(0, stroke);
  throw new AxleError('decision-invalid', `${JSON.stringify(id)} names no run and call, such as run_01abc/3.0.`);
}

function taken(id: string): Response {
  const answer: Accepted = { runId: runOf(id), accepted: true };
  return json(answer, { status: 202 });
}
