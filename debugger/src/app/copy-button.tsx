/** Puts a text on the clipboard, and says so. */
import { say } from './spoken.tsx';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): React.ReactNode {
  return (
    <button
      type="button"
      className="button small"
      onClick={() => void navigator.clipboard.writeText(text).then(() => say(`${what} copied`))}
    >
      Copy
    </button>
  );
}
