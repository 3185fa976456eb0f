/** A login or a permission that calls wait for. It is given elsewhere; here a person says that it was. */
import type { AuthorizationItem, AuthorizationRequest } from '../../../src/server/wire.ts';
import { lineOf } from '../words/foreign.tsx';
import { distanceText } from '../words/time-text.ts';
import { Pair } from '../words/pair.tsx';
import { AnswerFoot, Origin } from './card-parts.tsx';
import { useAnswer } from './use-answer.ts';
import { Moment } from '../words/moment.tsx';

export interface AuthorizationCardProps {
  readonly item: AuthorizationItem;
  readonly onAnswered: (words: string) => void;
}

export function AuthorizationCard({ item, onAnswered }: AuthorizationCardProps): React.ReactNode {
  const { authorizationId, etag, upstream, message, url, calls, expiresAtMs } = item;
  const path = `/v1/authorizations/${encodeURIComponent(authorizationId)}`;
  const answering = useAnswer<AuthorizationRequest>(path, etag, onAnswered);
  const { answer, isBlocked } = answering;
  return (
    <article className="card" aria-label={`Login at ${lineOf(upstream, 80)}`}>
      <header className="card-head">
        <h2>Login at {lineOf(upstream, 80)}</h2>
      </header>
      <p className="card-why">
        <b>It said:</b> {lineOf(message, 800)}
      </p>
      <Origin of={item} atMs={undefined} what="" />
      <dl className="pairs">
        {url === undefined ? undefined : (
          <Pair name="Given at">
            <Address url={url} />
          </Pair>
        )}
        <Pair name="Waiting">{calls.map(({ callId, tool }) => lineOf(`${tool} (${callId})`, 60)).join(', ')}</Pair>
      </dl>
      <AnswerFoot answering={answering} />
      <div className="card-actions">
        <button
          type="button"
          className="button main"
          disabled={isBlocked}
          onClick={() => answer({ granted: true }, `Authorised at ${lineOf(upstream, 60)}`)}
        >
          It is given: go on
        </button>
        <button
          type="button"
          className="button danger"
          disabled={isBlocked}
          onClick={() => answer({ granted: false }, `Not authorised at ${lineOf(upstream, 60)}`)}
        >
          It is not given
        </button>
        <span className="faint">
          expires <Moment atMs={expiresAtMs}>{distanceText(expiresAtMs)}</Moment>
        </span>
      </div>
    </article>
  );
}

/** The address comes from a service: it is a link only when it is of the web, and all of it can be read. */
function Address({ url }: { readonly url: string }): React.ReactNode {
  const shown = lineOf(url, 2_000);
  const isWeb = /^https?:\/\//iu.test(url) && URL.canParse(url);
  if (!isWeb) return <code>{shown}</code>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {shown}
    </a>
  );
}
