import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import type { Found } from './search-results.ts';
import { useSearch } from './use-search.ts';

/** Whether keys that are pressed there write a text. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** Calls a function when `/`, Ctrl K or ⌘ K is pressed. */
export const useSearchKey = (open: () => void): void => {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event.target);
      if (!isShortcut && !isSlash) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [open]);
};

/** Finds workflows, executions, node types, credentials and views, and goes there. */
export const Search = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed before it is removed, it gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={dialog}
      className="search"
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <SearchBox onClose={onClose} />
    </dialog>
  );
};

// A combobox whose options are in groups: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
const SearchBox = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const id = useId();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  // None until something is typed: screen readers would read it instead of the field.
  const [active, setActive] = useState(NONE);
  const { found, isSearching, error } = useSearch(text);
  const index = Math.min(active, found.length - 1);

  const go = ({ path }: Found) => {
    onClose();
    navigate(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const selected = found[index];
    if (event.nativeEvent.isComposing) return;
    if (step !== undefined && found.length > 0)
      setActive((Math.max(index, step === 1 ? NONE : 0) + step + found.length) % found.length);
    else if (event.key === 'Enter' && selected !== undefined && !isSearching) go(selected);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, index]);

  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type
        autoFocus
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder="Workflow, execution id, node type, credential, view"
        aria-label="Search workflows, executions, node types, credentials and views"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={index === NONE ? undefined : `${id}-${index}`}
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setActive(event.target.value === '' ? NONE : 0);
        }}
      />
      <div className="search-results">
        {error !== null && <ProblemAlert error={error} />}
        <Results id={id} found={found} index={index} onHover={setActive} onChoose={go} />
        <p role="status" className="search-status">
          {isSearching ? <span aria-hidden>Searching</span> : describeCount(found.length, text)}
        </p>
      </div>
    </>
  );
};

const NONE = -1;

const describeCount = (count: number, text: string): string => {
  if (count > 0) return text === '' ? '' : `${count} found. Arrow keys to choose, Enter to open.`;
  return 'Nothing found. An execution is found by its whole id.';
};

interface ResultsProps {
  readonly id: string;
  readonly found: readonly Found[];
  readonly index: number;
  readonly onHover: (index: number) => void;
  readonly onChoose: (found: Found) => void;
}

const Results = ({ id, found, index, onHover, onChoose }: ResultsProps): ReactNode => {
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <div role="listbox" id={`${id}-list`} aria-label="Results">
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list box
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <div id={`${id}-${group}`} className="search-group" role="presentation">
            {group}
          </div>
          {found.map((one, position) =>
            one.group === group ? (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
              <div
                key={one.path}
                id={`${id}-${position}`}
                role="option"
                aria-selected={position === index}
                className="search-option"
                onMouseMove={() => onHover(position)}
                onClick={() => onChoose(one)}
              >
                {one.label} {one.detail !== '' && <span>{one.detail}</span>}
              </div>
            ) : null,
          )}
        </div>
      ))}
    </div>
  );
};
