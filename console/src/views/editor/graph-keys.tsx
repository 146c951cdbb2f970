import type { ClipboardEvent, KeyboardEvent, ReactNode } from 'react';
import {
  type Edit,
  type EditedDefinition,
  type Fragment,
  removeNodes,
  takeFragment,
} from './definition/definition-edits.ts';
import { readFragment, writeFragment } from './fragment-text.ts';

interface GraphKeysProps {
  readonly definition: EditedDefinition;
  readonly selected: ReadonlySet<string>;
  readonly onEdit: (edit: Edit) => void;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onSelectAll: () => void;
  readonly onPaste: (fragment: Fragment) => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  readonly children: ReactNode;
}

/** The keys that work while something in the graph has the focus. */
export const GraphKeys = (props: GraphKeysProps): ReactNode => {
  const { definition, selected } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'delete' || key === 'backspace') {
      props.onEdit(removeNodes(selected));
      props.onSelect(new Set());
      event.currentTarget.focus(); // the keys still work when what had the focus is removed
    } else if (!(event.ctrlKey || event.metaKey)) return;
    else if (key === 'z') event.shiftKey ? props.onRedo() : props.onUndo();
    else if (key === 'y') props.onRedo();
    else if (key === 'a') props.onSelectAll();
    else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (isTyping(event.target)) return;
    const fragment = readFragment(event.clipboardData.getData('text/plain'));
    if ('problem' in fragment) return;
    event.preventDefault();
    props.onPaste(fragment);
  };
  const onCopy = (event: ClipboardEvent) => {
    if (selected.size === 0 || String(getSelection()) !== '') return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', writeFragment(takeFragment(definition, selected)));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes in it have the focus, and the keys
    <div className="editor-canvas" tabIndex={-1} onKeyDown={onKeyDown} onCopy={onCopy} onPaste={onPaste}>
      {props.children}
    </div>
  );
};

const isTyping = (target: EventTarget): boolean =>
  (target as HTMLElement).closest('input, textarea, [contenteditable="true"]') !== null;
