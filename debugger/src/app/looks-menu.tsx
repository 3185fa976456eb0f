/** Light, dark, as the device has it; more contrast. */
import { useSetting, writeSetting } from './settings.ts';

export function LooksMenu(): React.ReactNode {
  const theme = useSetting('theme');
  const contrast = useSetting('contrast');
  return (
    <span className="looks">
      <label className="unseen" htmlFor="theme">
        Theme
      </label>
      <select
        id="theme"
        className="bar-select"
        value={contrast === 'more' ? `${theme}+` : theme}
        onChange={({ target }) => {
          writeSetting('contrast', target.value.endsWith('+') ? 'more' : 'system');
          writeSetting('theme', target.value.replace('+', ''));
        }}
      >
        <option value="system">As the device</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
        <option value="light+">Light, high contrast</option>
        <option value="dark+">Dark, high contrast</option>
        <option value="system+">As the device, high contrast</option>
      </select>
    </span>
  );
}
