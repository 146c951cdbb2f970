import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  defaultHighlightStyle,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { nonce } from './page-settings.ts';

interface JsonEditorProps {
  readonly value: string;
  /** Its name for screen readers. */
  readonly label: string;
  /** Called with every change; without it the text can only be read. */
  readonly onChange?: (value: string) => void;
}

const look = EditorView.theme({
  '&': { border: '1px solid var(--json-border)', borderRadius: '8px', fontSize: '13px' },
  '.cm-scroller': { maxHeight: '420px', overflow: 'auto' },
  '.cm-content': { caretColor: 'light-dark(#0f141a, #dedee3)' },
  '.cm-gutters': { background: 'transparent', border: 'none', color: 'light-dark(#656871, #a4a4ad)' },
  '.cm-foldPlaceholder': { background: 'transparent', color: 'inherit' },
  '.cm-tooltip': { background: 'light-dark(#fff, #161d26)', color: 'light-dark(#0f141a, #dedee3)' },
});

/** What the colours of the default style, which are for light backgrounds, become on dark ones. */
const DARK: Readonly<Record<string, string>> = {
  '#219': '#c3b5ff',
  '#164': '#7fd8a4',
  '#a11': '#f5b3a8',
  '#00c': '#8fc1ff',
};

const colours = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) =>
    spec.color === undefined
      ? spec
      : { ...spec, color: `light-dark(${spec.color}, ${DARK[spec.color] ?? '#dedee3'})` },
  ),
);

/** JSON with line numbers and folds; errors are marked while one types. Tab leaves it, as it leaves any other field. */
const JsonEditor = ({ value, label, onChange }: JsonEditorProps): ReactNode => {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const listener = useRef(onChange);
  listener.current = onChange;
  const isEditable = onChange !== undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a later value is dispatched below
  useEffect(() => {
    if (place.current === null) return;
    const created = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          foldGutter(),
          bracketMatching(),
          json(),
          syntaxHighlighting(colours),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, ...(isEditable ? {} : { tabindex: '0' }) }),
          look,
          keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
          ...(isEditable
            ? [history(), linter(jsonParseLinter()), lintGutter()]
            : [EditorState.readOnly.of(true), EditorView.editable.of(false)]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) listener.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = created;
    return () => created.destroy();
  }, [isEditable, label]);

  useEffect(() => {
    const current = view.current;
    if (current === null || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={place} />;
};

export default JsonEditor;
