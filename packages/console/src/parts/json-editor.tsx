import { json, jsonParseLinter } from '@codemirror/lang-json';
import { foldGutter, foldKeymap } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { type EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { ReactNode } from 'react';
import { CodeEditor, type EditorNames } from './code-editor.tsx';
import { parseJson } from './parse-json.ts';

interface JsonEditorProps extends EditorNames {
  readonly value: string;
  /** Called with every change; without it the text can only be read. */
  readonly onChange?: ((value: string) => void) | undefined;
}

const reading = [lineNumbers(), foldGutter(), json(), keymap.of(foldKeymap)];
const findSyntaxFaults = jsonParseLinter();

const findFaults = (view: EditorView): readonly Diagnostic[] => {
  const faults = findSyntaxFaults(view);
  if (faults.length > 0) return faults;
  try {
    parseJson(view.state.doc.toString());
  } catch (error) {
    if (error instanceof RangeError) return [{ from: 0, to: 1, severity: 'error', message: error.message }];
  }
  return [];
};

const writing = [reading, linter(findFaults), lintGutter()];

/** JSON with line numbers and folds; errors are marked while one types. */
const JsonEditor = (props: JsonEditorProps): ReactNode => (
  <CodeEditor {...props} extensions={props.onChange === undefined ? reading : writing} />
);

export default JsonEditor;
