/** The kinds of rows, as a letter, a shape and a colour. */
import './table.css';

interface KindLook {
  readonly letter: string;
  readonly title: string;
  /** Work is a square, a wait is round, what happens at one moment is a diamond. */
  readonly shape: 'square' | 'round' | 'diamond';
  readonly colour: string;
}

const kinds: Readonly<Record<string, KindLook>> = {
  run: { letter: 'R', title: 'Run', shape: 'square', colour: 'run' },
  step: { letter: 'S', title: 'Step', shape: 'square', colour: 'step' },
  model: { letter: 'M', title: 'Model call', shape: 'square', colour: 'model' },
  call: { letter: 'C', title: 'Tool call', shape: 'square', colour: 'call' },
  attempt: { letter: 'A', title: 'Attempt', shape: 'square', colour: 'attempt' },
  doubt: { letter: 'D', title: 'In doubt', shape: 'square', colour: 'doubt' },
  verify: { letter: 'V', title: 'Verification', shape: 'square', colour: 'verify' },
  evidence: { letter: 'E', title: 'Late answer', shape: 'diamond', colour: 'verify' },
  'stand-in': { letter: 'F', title: 'Stand-in takes the call', shape: 'diamond', colour: 'call' },
  refusal: { letter: 'X', title: 'Refused by the upstream', shape: 'diamond', colour: 'doubt' },
  breaker: { letter: 'B', title: 'Breaker', shape: 'diamond', colour: 'wait' },
  gap: { letter: 'G', title: 'Gap without a driver', shape: 'round', colour: 'gap' },
  mark: { letter: 'N', title: 'Note', shape: 'diamond', colour: 'mark' },
  'wait-approval': { letter: 'W', title: 'Wait for approval', shape: 'round', colour: 'wait' },
  'wait-authorization': { letter: 'W', title: 'Wait for a login', shape: 'round', colour: 'wait' },
  'wait-retry': { letter: 'W', title: 'Back-off before an attempt', shape: 'round', colour: 'wait' },
  'wait-upstream': { letter: 'W', title: 'Queue of the upstream', shape: 'round', colour: 'wait' },
  'wait-verify': { letter: 'W', title: 'Wait until verify can be believed', shape: 'round', colour: 'wait' },
  'wait-person': { letter: 'W', title: 'Wait for a person', shape: 'round', colour: 'wait' },
  'wait-message': { letter: 'W', title: 'Wait for a message', shape: 'round', colour: 'wait' },
  'wait-code': { letter: 'W', title: 'Held: code is missing', shape: 'round', colour: 'wait' },
};

/** A kind that is not known, of a newer server perhaps, is shown with its first letter. */
export function kindLook(kind: string): KindLook {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return known ?? { letter: kind.slice(0, 1).toUpperCase(), title: kind, shape: 'diamond', colour: 'mark' };
}

export function KindBadge({ kind }: { readonly kind: string }): React.ReactNode {
  const { letter, title, shape, colour } = kindLook(kind);
  return (
    <span className={`kind ${shape} k-${colour}`} title={title}>
      <span aria-hidden="true">{letter}</span>
      <span className="unseen">{title}</span>
    </span>
  );
}
