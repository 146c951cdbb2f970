import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { indentOnInput } from '@codemirror/language';
import { keymap, lineNumbers } from '@codemirror/view';
import type { ReactNode } from 'react';
import { CodeEditor, type EditorNames } from '../code-editor.tsx';

interface ScriptEditorProps extends EditorNames {
  readonly value: string;
  /** Undefined if the text is empty. */
  readonly onChange: (value: string | undefined) => void;
}

const extensions = [
  lineNumbers(),
  javascript(),
  indentOnInput(),
  closeBrackets(),
  keymap.of(closeBracketsKeymap),
];

/** JavaScript with colours, indented and with its brackets closed as one types. */
const ScriptEditor = ({ onChange, ...props }: ScriptEditorProps): ReactNode => (
  <CodeEditor
    {...props}
    extensions={extensions}
    onChange={(text) => onChange(text === '' ? undefined : text)}
  />
);

export default ScriptEditor;
