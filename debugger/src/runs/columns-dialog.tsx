/** Which columns the list of runs has, as somebody chose it for this browser. */
import { Dialog, DialogHead } from '../app/dialog.tsx';
import { useSetting, writeSetting } from '../app/settings.ts';
import { chosenColumns, columns, withColumn } from './columns.tsx';

export function ColumnsDialog({ onClose }: { readonly onClose: () => void }): React.ReactNode {
  const choice = useSetting('columns');
  const shown = new Set(chosenColumns(choice));
  return (
    <Dialog label="Columns" className="columns" onClose={onClose}>
      <DialogHead title="Columns" closeWord="Done" onClose={onClose}>
        <button type="button" className="button" disabled={choice === ''} onClick={() => writeSetting('columns', '')}>
          The usual ones
        </button>
      </DialogHead>
      <ul className="column-choices">
        {columns.map((column) => (
          <li key={column.name}>
            <label className="check">
              <input
                type="checkbox"
                checked={shown.has(column)}
                disabled={column.isNeeded === true}
                onChange={({ target }) => writeSetting('columns', withColumn(choice, column.name, target.checked))}
              />
              {column.title}
            </label>
          </li>
        ))}
      </ul>
      <p className="faint column-note">On a narrow page the list shows status, goal, time and steps alone.</p>
    </Dialog>
  );
}
