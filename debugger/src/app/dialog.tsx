/** A dialog over the page: takes the focus and gives it back, ends with Escape or a click beside it. */
import { useEffect, useRef } from 'react';

export interface DialogProps {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

export function Dialog({ label, className = '', onClose, children }: DialogProps): React.ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    return () => element?.close();
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape does the same, by the browser.
    <dialog
      ref={dialog}
      aria-label={label}
      className={`dialog ${className}`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}

export interface DialogHeadProps {
  readonly title: React.ReactNode;
  readonly onClose: () => void;
  /** What the button that ends the dialog says. */
  readonly closeWord?: string;
  /** What stands between the title and that button. */
  readonly children?: React.ReactNode;
}

export function DialogHead({ title, onClose, closeWord = 'Close', children }: DialogHeadProps): React.ReactNode {
  return (
    <header className="dialog-head">
      <h2>{title}</h2>
      {children}
      <button type="button" className="button" onClick={onClose}>
        {closeWord}
      </button>
    </header>
  );
}
