/** What stands where there is nothing to show, or not yet, or no more: each says why, and what to do. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { RequestFailed, unanswered, wordsOf } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';
import { TokenForm } from './token-form.tsx';

export function Notice({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: React.ReactNode;
}): React.ReactNode {
  return (
    <div className="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }): React.ReactNode {
  return (
    <p className="notice faint loading" role="status">
      Loading {what} …
    </p>
  );
}

/** Why a question was not answered. */
export function Failed({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}): React.ReactNode {
  const { what, remedy, code } = wordsOf(error);
  const status = error instanceof RequestFailed ? error.status : undefined;
  const isTokenMissing = status === 401;
  return (
    <div className="notice" role="alert">
      <h2>{titleOf(status)}</h2>
      <p>{lineOf(what)}</p>
      {remedy === undefined ? undefined : <p>{lineOf(remedy)}</p>}
      {code === undefined ? undefined : (
        <p className="faint">
          <code>{lineOf(code)}</code>
        </p>
      )}
      {isTokenMissing ? <TokenForm /> : undefined}
      {onRetry === undefined || isTokenMissing ? undefined : (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf(status: number | undefined): string {
  switch (status) {
    case unanswered:
      return 'The server does not answer';
    case 401:
      return 'This server asks for a token';
    case 403:
      return 'This token may not see that';
    case 404:
      return 'Not found';
    default:
      return 'That did not work';
  }
}

/** A fault of the page itself, or a part of it that could not be loaded. */
export function Fault({ error, reset }: ErrorComponentProps): React.ReactNode {
  if (error instanceof RequestFailed) return <Failed error={error} onRetry={reset} />;
  return (
    <Notice title="This part of the page stopped">
      <p>{lineOf(wordsOf(error).what)}</p>
      <p>Nothing of the run is lost: the journal has it. If the server was just upgraded, load the page again.</p>
      <button type="button" className="button" onClick={() => window.location.reload()}>
        Load again
      </button>
    </Notice>
  );
}

export function NotFound(): React.ReactNode {
  return (
    <div className="notice">
      <h1>There is no such screen</h1>
      <p>
        <a href="/runs">Go to the runs</a>
      </p>
    </div>
  );
}
