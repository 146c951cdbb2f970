import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { createContext } from 'react';
import type { EditorNames } from '../code-editor.tsx';
import type { Surroundings } from '../expression/evaluate-sample.ts';
import type { ParameterProblem } from './fields.ts';

/** Parameters whose options the service finds. */
interface DynamicOptions {
  readonly nodeType: string;
  readonly parameters: readonly string[];
  /** Undefined if none is chosen. */
  readonly credentialId: string | undefined;
  /** Why none can be found; null if they can. */
  readonly problem: string | null;
}

/** What all fields of a form know. */
export interface FormKnowledge extends Omit<Surroundings, 'syntax'> {
  readonly problems: readonly ParameterProblem[];
  /** Whether values may be expressions, as those of actions may. */
  readonly allowsExpressions: boolean;
  /** All parameters: the next times of a schedule depend on several. */
  readonly parameters: JsonObject;
  /** Null if there is no service to ask, or nothing to ask for. */
  readonly options: DynamicOptions | null;
}

/** Of a form without problems, expressions and data. */
export const NOTHING_KNOWN: FormKnowledge = {
  problems: [],
  allowsExpressions: false,
  sample: null,
  names: { nodes: [], variables: null },
  parameters: {},
  options: null,
};

export const FormContext = createContext(NOTHING_KNOWN);

/** What every input of a form is given. */
export interface InputProps {
  readonly names: EditorNames;
  /** Undefined if there is none. */
  readonly value: JsonValue | undefined;
  /** The default, which is shown where no value is; undefined if there is none. */
  readonly initial: JsonValue | undefined;
  readonly onChange: (value: JsonValue | undefined) => void;
}

/** The names of a field, as a control takes them. */
export const toAria = ({ labelledBy, describedBy }: EditorNames) => ({
  ...(labelledBy === undefined ? {} : { ariaLabelledby: labelledBy }),
  ...(describedBy === undefined ? {} : { ariaDescribedby: describedBy }),
});

/** What a text field shows of a value. */
export const toWord = (value: JsonValue | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
