/** Which call of the model is looked at, and which it is compared with. */
import { countText } from '../words/count-text.ts';
import { lookOf } from '../words/status.tsx';
import type { ModelCall } from './model-calls.ts';

export interface CallPickerProps {
  readonly calls: readonly ModelCall[];
  readonly current: ModelCall;
  /** The entry of the call to compare with; the one before when nothing is said. */
  readonly against: string | undefined;
  readonly onGo: (place: number) => void;
  readonly onAgainst: (against: string | undefined) => void;
}

/** So many can be chosen from a list; others are reached with the slider. */
const mostListed = 500;

export function CallPicker({ calls, current, against, onGo, onAgainst }: CallPickerProps): React.ReactNode {
  const place = calls.indexOf(current);
  return (
    <div className="view-tools">
      <button type="button" className="button small" disabled={place <= 0} onClick={() => onGo(place - 1)}>
        ← before
      </button>
      <button
        type="button"
        className="button small"
        disabled={place >= calls.length - 1}
        onClick={() => onGo(place + 1)}
      >
        next →
      </button>
      {calls.length < 2 ? undefined : (
        <input
          type="range"
          aria-label="Call of the model"
          aria-valuetext={nameOf(current)}
          min={0}
          max={calls.length - 1}
          value={place}
          onChange={({ target }) => onGo(Number(target.value))}
        />
      )}
      <b>{nameOf(current)}</b>
      <span className="faint figure">
        {place + 1} of {calls.length}
      </span>
      {calls.length < 2 || calls.length > mostListed ? undefined : (
        <label className="view-side">
          compared with{' '}
          <select
            className="bar-select"
            value={against ?? ''}
            onChange={({ target }) => onAgainst(target.value === '' ? undefined : target.value)}
          >
            <option value="">the call before</option>
            {calls
              .filter((call) => call !== current)
              .map((call) => (
                <option key={call.seq} value={call.seq}>
                  {nameOf(call)}
                </option>
              ))}
          </select>
        </label>
      )}
    </div>
  );
}

function nameOf({ step, attempt, inputTokens, status }: ModelCall): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  const said = status === 'ok' ? '' : `, ${lookOf(status).word}`;
  return `step ${step}${again}${inputTokens > 0 ? `, ${countText(inputTokens)} tokens` : ''}${said}`;
}
