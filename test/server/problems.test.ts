import { describe, expect, it } from 'vitest';
import { AxleError } from '../../src/axle.ts';
import { errorCatalogue, isErrorCode } from '../../src/error/catalogue.ts';
import { problemOf, problemResponse, statusOf } from '../../src/server/problem.ts';

const codes = Object.keys(errorCatalogue).filter(isErrorCode);

describe('problems', () => {
  it.each(codes)('the code %s has a status, and its problem says what to do', (code) => {
    const problem = problemOf(new AxleError(code, 'It happened.'));
    expect(problem.status).toBe(statusOf(code, errorCatalogue[code].class));
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(600);
    expect(problem).toMatchObject({ code, type: `/v1/errors/${code}`, remedy: errorCatalogue[code].remedy });
  });

  it('the class decides where nothing is said of the code', () => {
    expect(statusOf('store-locked', 'retryable')).toBe(503);
    expect(statusOf('output-invalid', 'recoverable')).toBe(422);
    expect(statusOf('store-failed', 'fatal')).toBe(500);
    expect(statusOf('run-unknown', 'fatal')).toBe(404);
  });

  it('an error without a code keeps its words to itself', () => {
    const problem = problemOf(new TypeError('password is hunter2'));
    expect(problem).toMatchObject({ code: 'internal', status: 500 });
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });

  it('an answer that may come later says when to ask again, one for a token how to send it', () => {
    expect(problemResponse(new AxleError('draining', 'Ends.')).headers.get('retry-after')).toBe('1');
    expect(problemResponse(new AxleError('token-refused', 'None.')).headers.get('www-authenticate')).toContain(
      'Bearer',
    );
  });
});
