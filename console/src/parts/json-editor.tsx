import { json, jsonParseLinter } from '@codemirror/lang-json';
import { foldGutter, foldKeymap } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { keymap, lineNumbers } from '@codemirror/view';
import type { ReactNode } from 'react';
import { CodeEditor, type EditorNames } from './code-editor.tsx';

interface JsonEditorProps extends EditorNames {
  readonly value: string;
  /** Called with every change; without it the text can only be read. */
  readonly onChange?: ((value: string) => void) | undefined;
}

const reading = [lineNumbers(), foldGutter(), json(), keymap.of(foldKeymap)];
const writing = [reading, linter(jsonParseLinter()), lintGutter()];

/** JSON with line numbers and folds; errors are marked while one types. */
const JsonEditor = (props: JsonEditorProps): ReactNode => (
  <CodeEditor {...props} extensions={props.onChange === undefined ? reading : writing} />
);

export default JsonEditor;
