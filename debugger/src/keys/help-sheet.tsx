/** All keys, from the table that also handles them. */
import { Dialog, DialogHead } from '../app/dialog.tsx';
import { useSetting, writeSetting } from '../app/settings.ts';
import { bindings, places } from './bindings.ts';
import { strokesOf } from './key-words.ts';

export function HelpSheet({ onClose }: { readonly onClose: () => void }): React.ReactNode {
  const singleKeys = useSetting('keys');
  return (
    <Dialog label="Keys" className="help" onClose={onClose}>
      <DialogHead title="Keys" onClose={onClose}>
        <label className="check">
          <input
            type="checkbox"
            checked={singleKeys !== 'off'}
            onChange={({ target }) => writeSetting('keys', target.checked ? 'on' : 'off')}
          />
          Single letters act
        </label>
      </DialogHead>
      <div className="help-places">
        {places.map(({ place, title }) => (
          <section key={place} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {bindings
                .filter((binding) => binding.place === place)
                .map((binding) => (
                  <div key={binding.action} className="help-row">
                    <dt>
                      <Strokes keys={binding.keys} />
                    </dt>
                    <dd>{binding.title}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Strokes({ keys }: { readonly keys: readonly string[] }): React.ReactNode {
  // A row of figures is said as a range.
  const said = keys.length > 3 ? [`${keys[0]}–${keys.at(-1)}`] : keys;
  return said.map((each, index) => (
    <span key={each}>
      {index > 0 ? <span className="faint"> or </span> : undefined}
      {strokesOf(each).map((stroke, place) => (
        <kbd key={`${stroke} ${place}`}>{stroke}</kbd>
      ))}
    </span>
  ));
}
