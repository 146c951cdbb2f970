import type { Answer } from '../../api/routes.ts';
import { tryParseJson } from '../../parts/parse-json.ts';

export type Variable = Answer<'GET /api/admin/variables'>['variables'][number];

export interface VariableForm {
  readonly name: string;
  readonly type: Variable['type'];
  /** The text of the value: as it is for a string, else JSON. */
  readonly text: string;
  readonly description: string;
  /** When the value expires; empty if that is not known. */
  readonly expires: string;
}

export const EMPTY: VariableForm = { name: '', type: 'string', text: '', description: '', expires: '' };

/** A value as it is shown: text as it is, any other as JSON. */
export const textOfVariable = ({ type, value }: Pick<Variable, 'type' | 'value'>): string =>
  type === 'string' ? String(value) : (JSON.stringify(value, null, type === 'json' ? 2 : 0) ?? '');

export const toForm = (variable: Omit<Variable, 'changedAt' | 'changedBy' | 'revision'>): VariableForm => ({
  name: variable.name,
  type: variable.type,
  text: textOfVariable(variable),
  description: variable.description ?? '',
  expires: variable.expiresAt?.replace(/T00:00:00\.000Z$/, '') ?? '',
});

/** What is sent, or what keeps it from being sent: by field. */
type Read =
  | { readonly body: object; readonly mistakes: null }
  | { readonly body: null; readonly mistakes: Readonly<Partial<Record<'name' | 'text', string>>> };

const NAME = /^[A-Za-z_]\w{0,63}$/;

/** Reads what was typed; the API checks the rest. */
export const readForm = ({ name, type, text, description, expires }: VariableForm): Read => {
  const mistakes: { name?: string; text?: string } = {};
  if (!NAME.test(name)) mistakes.name = 'Up to 64 letters, digits and _, not beginning with a digit.';
  const value = type === 'string' ? text : tryParseJson(text);
  if (value === undefined) mistakes.text = 'This is not JSON.';
  else if ((type === 'number' || type === 'boolean') && typeof value !== type)
    mistakes.text = type === 'number' ? 'This is not a number.' : 'Choose true or false.';
  if (Object.keys(mistakes).length > 0) return { body: null, mistakes };
  return {
    body: {
      ...{ type, value },
      description: description.trim() === '' ? null : description.trim(),
      expiresAt: expires.trim() === '' ? null : expires.trim(),
    },
    mistakes: null,
  };
};
