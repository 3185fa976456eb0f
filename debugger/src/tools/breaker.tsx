/** How the breaker of an upstream stands. */
export function BreakerMark({ kind }: { readonly kind: string }): React.ReactNode {
  const tone = kind === 'closed' ? 'good' : kind === 'open' ? 'bad' : 'warn';
  return <span className={`tag tone-${tone}`}>{kind === 'closed' ? 'breaker closed' : `breaker ${kind}`}</span>;
}
