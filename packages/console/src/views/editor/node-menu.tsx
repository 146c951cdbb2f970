import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import type { Point } from './definition/definition-edits.ts';

/** What can be done with the selected nodes. */
export interface NodeAction {
  readonly label: string;
  /** The keys that do the same in the graph. */
  readonly keys?: string;
  readonly run: () => void;
}

interface NodeMenuProps {
  readonly actions: readonly NodeAction[];
  /** The corner of the menu, in the window. */
  readonly place: Point;
  readonly onClose: () => void;
}

/** A menu at a place: with the arrow keys, Enter and Escape, or by mouse. */
export const NodeMenu = ({ actions, place, onClose }: NodeMenuProps): ReactNode => {
  const menu = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    element.showModal();
    element.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(0, Math.min(place.x, window.innerWidth - width))}px`;
    element.style.top = `${Math.max(0, Math.min(place.y, window.innerHeight - height))}px`;
    // Closed before it is removed, it gives the focus back.
    return () => element.close();
  }, [place]);
  const move = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const index = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    items.at(next % items.length)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={menu}
      className="editor-menu"
      aria-label="Node actions"
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div role="menu" tabIndex={-1} onKeyDown={move}>
        {actions.map(({ label, keys, run }) => (
          <button
            key={label}
            type="button"
            role="menuitem"
            onClick={() => {
              menu.current?.close();
              run();
            }}
          >
            <span>{label}</span>
            {keys !== undefined && <kbd>{keys}</kbd>}
          </button>
        ))}
      </div>
    </dialog>
  );
};
