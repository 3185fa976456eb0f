/** How much the model saw and of what, and that it is certain. */
import type { ContextBlock, ContextView, TokenCount } from '../../../src/inspect/context/context-view.ts';
import { countText, sizeText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import { blockKinds, kindTitle } from './block-kinds.ts';

export function Summary({ view }: { readonly view: ContextView }): React.ReactNode {
  const { model, tokens, sizeBytes, usage, verified, hasTools, contextHash, changes, against } = view;
  return (
    <section className="context-summary" aria-label="Summary">
      <p className="context-facts">
        <span>
          <b className="figure">{countText(tokens.count)}</b> tokens in <TokenKind kind={tokens.kind} />
        </span>
        {usage?.cachedInputTokens === undefined ? undefined : (
          <span className="figure">{countText(usage.cachedInputTokens)} cached</span>
        )}
        {usage?.outputTokens === undefined ? undefined : (
          <span className="figure">{countText(usage.outputTokens)} out</span>
        )}
        <span className="figure">{sizeText(sizeBytes)}</span>
        <span className="faint">{lineOf(model, 80)}</span>
        <span className={verified ? 'tag tone-good' : 'tag tone-bad'} title={`Context hash ${contextHash}`}>
          {verified ? 'proved: same hash as when it was sent' : 'hash differs from what was sent'}
        </span>
        {hasTools ? undefined : <span className="tag tone-warn">the list of tools was not kept</span>}
      </p>
      <Shares blocks={view.blocks} />
      <p className="context-facts faint">
        {against === undefined ? (
          'the first call'
        ) : (
          <>
            since the call of entry {against}:
            {(['added', 'removed', 'moved', 'changed', 'same'] as const).map((change) =>
              changes[change] === 0 ? undefined : (
                <span key={change} className={`change-${change}`}>
                  {changes[change]} {change}
                </span>
              ),
            )}
          </>
        )}
      </p>
    </section>
  );
}

/** Where a count comes from is always said: only the provider knows exactly. */
export function TokenKind({ kind }: { readonly kind: TokenCount['kind'] }): React.ReactNode {
  const titles = {
    exact: 'as the provider counted them',
    estimated: 'estimated from the length, four bytes a token',
  } as const;
  return (
    <span className="faint" title={titles[kind]}>
      ({kind})
    </span>
  );
}

/** What the request is made of, by kind, as a bar and in words. */
function Shares({ blocks }: { readonly blocks: readonly ContextBlock[] }): React.ReactNode {
  const shown = blocks.filter(({ change }) => change !== 'removed');
  const whole = Math.max(
    1,
    shown.reduce((sum, { tokens }) => sum + tokens.count, 0),
  );
  const shares = blockKinds
    .map((kind) => ({
      kind,
      count: shown.filter((block) => block.kind === kind).reduce((sum, { tokens }) => sum + tokens.count, 0),
    }))
    .filter(({ count }) => count > 0);
  return (
    <>
      <div className="shares" aria-hidden="true">
        {shares.map(({ kind, count }) => (
          <i key={kind} className={`share b-${kind}`} style={{ width: `${(count / whole) * 100}%` }} />
        ))}
      </div>
      <ul className="legend" aria-label="Shares of the request">
        {shares.map(({ kind, count }) => (
          <li key={kind}>
            <i className={`swatch b-${kind}`} aria-hidden="true" />
            {kindTitle(kind)} <span className="figure">{countText(count)}</span>{' '}
            <span className="faint figure">{Math.round((count / whole) * 100)} %</span>
          </li>
        ))}
      </ul>
    </>
  );
}
