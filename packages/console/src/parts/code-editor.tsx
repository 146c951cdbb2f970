import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { nonce } from './page-settings.ts';

/** Accessible name and description of an editor: a text, or ids of elements. */
export interface EditorNames {
  readonly label?: string | undefined;
  readonly labelledBy?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean | undefined;
}

/** What is wrong at a place of the text; offsets in UTF-16 units. */
interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

interface CodeEditorProps extends EditorNames {
  readonly value: string;
  /** The language and what else the editor has; only the first value counts. */
  readonly extensions: Extension;
  /** Called with every change; without it the text can only be read. */
  readonly onChange?: ((value: string) => void) | undefined;
  /** Whether it has the focus when it appears, and where its cursor is then; null for no focus. */
  readonly cursor?: number | null | undefined;
  readonly marks?: readonly Mark[];
}

const look = EditorView.theme({
  '&': { border: '1px solid var(--json-border)', borderRadius: '8px', fontSize: '13px' },
  '.cm-scroller': { maxHeight: '420px', overflow: 'auto' },
  '.cm-content': { caretColor: 'light-dark(#0f141a, #dedee3)' },
  '.cm-gutters': { background: 'transparent', border: 'none', color: 'light-dark(#656871, #a4a4ad)' },
  '.cm-foldPlaceholder': { background: 'transparent', color: 'inherit' },
  '.cm-tooltip': { background: 'light-dark(#fff, #161d26)', color: 'light-dark(#0f141a, #dedee3)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'light-dark(#006ce0, #42b4ff)',
    color: 'light-dark(#fff, #0f141a)',
  },
  // No background: where text is replaced, Chrome gives it to the line as an inline style, which the page's policy refuses.
  '&.cm-focused .cm-matchingBracket': { background: 'transparent', outline: '1px solid #328c82' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'transparent', outline: '1px solid #bb5555' },
  '.cm-completionInfo': { maxInlineSize: 'min(320px, 60vw)' },
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

const toAttributes = ({ label, labelledBy, describedBy, isInvalid }: EditorNames) =>
  EditorView.contentAttributes.of({
    ...(label === undefined ? {} : { 'aria-label': label }),
    ...(labelledBy === undefined ? {} : { 'aria-labelledby': labelledBy }),
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    ...(isInvalid === true ? { 'aria-invalid': 'true' } : {}),
  });

const NO_MARKS: readonly Mark[] = [];

/** Text with colours and brackets that match. Tab leaves it, as it leaves any other field. */
export const CodeEditor = (props: CodeEditorProps): ReactNode => {
  const { value, extensions, onChange, cursor = null, marks = NO_MARKS } = props;
  const { label, labelledBy, describedBy, isInvalid } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const attributes = useRef(new Compartment());
  const listener = useRef(onChange);
  listener.current = onChange;
  const isEditable = onChange !== undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: later values and names are dispatched below
  useEffect(() => {
    if (place.current === null) return;
    const created = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          bracketMatching(),
          extensions,
          syntaxHighlighting(colours),
          EditorView.lineWrapping,
          EditorView.perLineTextDirection.of(true),
          attributes.current.of(toAttributes(props)),
          look,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          isEditable
            ? history()
            : [
                EditorState.readOnly.of(true),
                EditorView.editable.of(false),
                EditorView.contentAttributes.of({ tabindex: '0' }),
              ],
          EditorView.updateListener.of((update) => {
            if (update.docChanged) listener.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = created;
    if (cursor !== null) {
      created.dispatch({ selection: { anchor: Math.min(cursor, created.state.doc.length) } });
      created.focus();
    }
    return () => created.destroy();
  }, [isEditable]);

  useEffect(() => {
    view.current?.dispatch({
      effects: attributes.current.reconfigure(toAttributes({ label, labelledBy, describedBy, isInvalid })),
    });
  }, [label, labelledBy, describedBy, isInvalid]);

  useEffect(() => {
    const current = view.current;
    if (current === null || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const current = view.current;
    if (current === null) return;
    const limit = (offset: number) => Math.min(offset, current.state.doc.length);
    const shown = marks.map(({ from, to, message }) => ({
      from: limit(from),
      to: limit(to),
      message,
      severity: 'error' as const,
    }));
    current.dispatch(setDiagnostics(current.state, shown));
  }, [marks]);

  return <div ref={place} />;
};
