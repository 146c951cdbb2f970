import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { createContext } from 'react';
import type { EditorNames } from '../code-editor.tsx';
import type { KnownNames, Sample } from '../expression/evaluate-sample.ts';
import type { ParameterProblem } from './fields.ts';

/** What all fields of a form know. */
interface FormKnowledge {
  readonly problems: readonly ParameterProblem[];
  readonly allowsExpressions: boolean;
  /** Data that expressions are tried on; null if there is none. */
  readonly sample: Sample | null;
  readonly names: KnownNames;
  /** All parameters: the next times of a schedule depend on several. */
  readonly parameters: JsonObject;
}

export const FormContext = createContext<FormKnowledge>({
  problems: [],
  allowsExpressions: false,
  sample: null,
  names: { nodes: [], variables: null },
  parameters: {},
});

/** What every input of a form is given. */
export interface InputProps {
  readonly names: EditorNames;
  /** Undefined if there is none. */
  readonly value: JsonValue | undefined;
  /** The default, which is shown where no value is; undefined if there is none. */
  readonly initial: JsonValue | undefined;
  readonly onChange: (value: JsonValue | undefined) => void;
}
