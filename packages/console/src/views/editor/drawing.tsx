import { ReactFlowProvider } from '@xyflow/react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { type LiteralsOf, pasteFragment, takeFragment } from './definition/definition-edits.ts';
import { EditorCanvas, type EditorCanvasProps } from './editor-canvas.tsx';
import { readFragment, writeFragment } from './fragment-text.ts';
import { findOutputs, findWithoutInput, useTypes } from './node-types.ts';
import { added, redone, removeSelected, selectAll, undone, type WorkStore } from './use-work.ts';

interface DrawingProps extends Pick<EditorCanvasProps, 'faulty' | 'onDropType' | 'onMenu'> {
  readonly store: WorkStore;
  readonly literalsOf: LiteralsOf;
}

/** The graph, with the keys that work while something in it has the focus. */
export const Drawing = ({ store, literalsOf, ...canvas }: DrawingProps): ReactNode => {
  const { draw } = store;
  const { history, selected } = useSyncExternalStore(store.subscribe, store.get);
  const { definition } = history.present;
  const types = useTypes(definition);
  const outputsOf = useMemo(() => findOutputs(definition, types), [definition, types]);
  const withoutInput = useMemo(() => findWithoutInput(definition, types), [definition, types]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'delete' || key === 'backspace') {
      draw(removeSelected);
      event.currentTarget.focus(); // the keys still work when what had the focus is removed
    } else if (!(event.ctrlKey || event.metaKey)) return;
    else if (key === 'z') draw(event.shiftKey ? redone : undone);
    else if (key === 'y') draw(redone);
    else if (key === 'a') draw(selectAll);
    else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (isTyping(event.target)) return;
    const fragment = readFragment(event.clipboardData.getData('text/plain'));
    if ('problem' in fragment) return;
    event.preventDefault();
    draw(added((before) => pasteFragment(before, fragment, literalsOf)));
  };
  const onCopy = (event: ClipboardEvent) => {
    if (selected.size === 0 || String(getSelection()) !== '') return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', writeFragment(takeFragment(definition, selected)));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the nodes in it have the focus, and the keys
    <div className="editor-canvas" tabIndex={-1} onKeyDown={onKeyDown} onCopy={onCopy} onPaste={onPaste}>
      <ReactFlowProvider>
        <EditorCanvas
          {...canvas}
          definition={definition}
          outputsOf={outputsOf}
          withoutInput={withoutInput}
          selected={selected}
          draw={draw}
        />
      </ReactFlowProvider>
    </div>
  );
};

const isTyping = (target: EventTarget): boolean =>
  (target as HTMLElement).closest('input, textarea, [contenteditable="true"]') !== null;
