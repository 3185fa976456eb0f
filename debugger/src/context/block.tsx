/** One block of what a model saw: what it is, where it comes from, how long it has been there. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ContextBlock } from '../../../src/inspect/context/context-view.ts';
import { Dialog, DialogHead } from '../app/dialog.tsx';
import { runPath } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { BodyView, TextView } from '../json/value-view.tsx';
import { askJson } from '../wire/request.ts';
import { countText, sizeText } from '../words/count-text.ts';
import { ForeignLines, lineOf } from '../words/foreign.tsx';
import { TokenKind } from './summary.tsx';

export interface BlockProps {
  readonly runId: string;
  /** The entry of the call. */
  readonly seq: number;
  readonly block: ContextBlock;
}

const signs = { same: '', added: '+', removed: '−', moved: '↕', changed: '~' } as const;

export function Block({ runId, seq, block }: BlockProps): React.ReactNode {
  const { id, kind, role, text, sizeBytes, body, tokens, provenance, ageSteps, change } = block;
  const [isWhole, setWhole] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const title = provenance.tool === undefined ? kind : `${kind} ${lineOf(provenance.tool, 80)}`;
  const isCut = sizeBytes > text.length + 4 && text.length >= 2_000;
  return (
    <article className={`block change-${change}`} aria-label={`${title}${change === 'same' ? '' : `, ${change}`}`}>
      <header className="block-head">
        <span className="block-sign" aria-hidden="true">
          {signs[change]}
        </span>
        <i className={`swatch b-${kind}`} aria-hidden="true" />
        <b>{title}</b>
        {change === 'same' ? undefined : <span className={`tag change-${change}`}>{change}</span>}
        <span className="faint">{role}</span>
        <span className="block-facts faint figure">
          <span>
            {countText(tokens.count)} tokens <TokenKind kind={tokens.kind} />
          </span>
          <span>{ageSteps === 0 ? 'new' : ageSteps === 1 ? '1 step old' : `${ageSteps} steps old`}</span>
          <Origin runId={runId} provenance={provenance} />
        </span>
      </header>
      <div className={isWhole ? 'block-text whole' : 'block-text'}>
        <ForeignLines text={text} />
      </div>
      <p className="block-more">
        {text.length > 400 || text.split('\n').length > 4 ? (
          <button type="button" className="button small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Less' : 'More'}
          </button>
        ) : undefined}
        {body === undefined && !isCut ? undefined : (
          <button type="button" className="button small" onClick={() => setOpen(true)}>
            The whole, {sizeText(sizeBytes)}
          </button>
        )}
      </p>
      {isOpen ? (
        <Dialog label={title} className="wide" onClose={() => setOpen(false)}>
          <DialogHead title={title} onClose={() => setOpen(false)} />
          <div className="dialog-body">
            {body === undefined ? (
              <WholeText runId={runId} seq={seq} id={id} />
            ) : (
              <BodyView label={title} hash={body} />
            )}
          </div>
        </Dialog>
      ) : undefined}
    </article>
  );
}

/** Who brought it in, with the way there. */
function Origin({
  runId,
  provenance,
}: {
  readonly runId: string;
  readonly provenance: ContextBlock['provenance'];
}): React.ReactNode {
  const { seq, callId, by } = provenance;
  return (
    <span>
      by {by},{' '}
      {callId === undefined ? (
        <Link to="/runs/$runId/raw" params={{ runId }} search={{ seq: String(seq) }}>
          entry {seq}
        </Link>
      ) : (
        <Link to="/runs/$runId" params={{ runId }} search={{ span: `call.${callId}` }}>
          call {lineOf(callId, 20)}
        </Link>
      )}
    </span>
  );
}

/** A text that the view shows a part of. */
function WholeText({
  runId,
  seq,
  id,
}: {
  readonly runId: string;
  readonly seq: number;
  readonly id: string;
}): React.ReactNode {
  const path = runPath(runId, 'context', String(seq), 'blocks', id);
  const { data, error, refetch } = useQuery({
    queryKey: ['block', path],
    queryFn: ({ signal }) => askJson<{ readonly text: string }>(path, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data !== undefined) return <TextView text={data.text} />;
  return error === null ? <Loading what="the text" /> : <Failed error={error} onRetry={() => void refetch()} />;
}
