import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { toPointerKey } from '../describe.ts';
import { isSecretName } from '../secrets/secret-names.ts';
import { findShapes } from '../secrets/secret-shapes.ts';
import type { Setting, Variable, VariableType } from './settings.ts';

export type Variables = Setting<readonly Variable[]>;

export interface GivenVariable extends Pick<Variable, 'name' | 'value'> {
  /** The type of the value if absent. */
  readonly type?: VariableType | undefined;
  /** Unchanged if absent. */
  readonly description?: string | null | undefined;
  /** ISO 8601, UTC. If absent, that of the same value remains; when another value expires is not known. */
  readonly expiresAt?: string | null | undefined;
}

/** A mistake in a variable: its place in what was given, as a JSON pointer, and what is wrong. */
interface VariableProblem {
  readonly path: string;
  readonly message: string;
}

const MAX_VARIABLES = 200;
const MAX_VALUE_BYTES = 4_096;
/** Of all values together, so that their item stays far below DynamoDB's limit of 409,600 bytes, escapes included. */
const MAX_BYTES = 100_000;
const MAX_DESCRIPTION_LENGTH = 500;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export const isVariableName = (name: string): boolean => NAME.test(name);

/** The values by name, as expressions see them. */
export const toValues = (variables: readonly Variable[]): JsonObject =>
  Object.fromEntries(variables.map(({ name, value }) => [name, value]));

const variableTypeOf = (value: JsonValue): VariableType => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'json';
};

/** Finds what is wrong with a variable, apart from the number of variables. */
export const findVariableProblems = ({
  name,
  type,
  value,
  description = null,
}: GivenVariable): readonly VariableProblem[] => {
  if (!isVariableName(name))
    return [{ path: '/name', message: 'must be a letter or _, then at most 63 letters, digits and _' }];
  if (type !== undefined && type !== 'json' && type !== variableTypeOf(value))
    return [
      { path: '/value', message: `must be a ${type}, like the type, but is a ${variableTypeOf(value)}` },
    ];
  const bytes = bytesOf(value);
  if (bytes > MAX_VALUE_BYTES)
    return [
      { path: '/value', message: `has ${bytes} bytes as JSON; at most ${MAX_VALUE_BYTES} are allowed` },
    ];
  if (description !== null && description.length > MAX_DESCRIPTION_LENGTH)
    return [{ path: '/description', message: `must have at most ${MAX_DESCRIPTION_LENGTH} characters` }];
  return [
    ...findSecrets(value, '/value', name),
    ...(description === null ? [] : findSecrets(description, '/description', '')),
  ];
};

const bytesOf = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value));

/** Finds values that look like secrets: by their name, by a form that services use, or because they look random. */
const findSecrets = (value: JsonValue, path: string, name: string): readonly VariableProblem[] => {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    const isSecret =
      (isSecretName(name) && !isAddress(text)) || findShapes(text).length > 0 || isRandom(text);
    if (!isSecret) return [];
    const message =
      'looks like a secret, which everyone who can read variables or executions would see: create a credential instead (hookloom credential create)';
    return [{ path, message }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    findSecrets(item, `${path}/${toPointerKey(key)}`, Array.isArray(value) ? name : key),
  );
};

/** Whether a text says where something is, such as a token endpoint. */
const isAddress = (text: string): boolean => text === '' || /^(?:https?:\/\/|arn:)/.test(text);

const MIN_RANDOM_LENGTH = 32;

/** Whether a text looks like a generated key: long, without spaces, with letters of both cases and digits mixed, or hexadecimal. */
const isRandom = (text: string): boolean => {
  if (text.length < MIN_RANDOM_LENGTH || !/^[A-Za-z0-9+/=_-]+$/.test(text)) return false;
  return text
    .split(/[_-]/)
    .some((run) =>
      run.length < 20
        ? false
        : run.length >= 40 && /^[a-f\d]+$/i.test(run)
          ? /\d/.test(run) && /[a-f]/i.test(run)
          : /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run),
    );
};

/** The caller that changes variables, and the time. */
interface Author {
  readonly changedAt: string;
  readonly changedBy: string | null;
}

/** Sets variables, all in the next revision; the same revision if nothing is different. */
export const setVariables = (
  { content, revision }: Variables,
  given: readonly GivenVariable[],
  author: Author,
): Variables => {
  const next = new Map(content.map((variable) => [variable.name, variable]));
  for (const { name, value, type = variableTypeOf(value), description, expiresAt } of given) {
    const known = next.get(name);
    const isSameValue = known !== undefined && JSON.stringify(known.value) === JSON.stringify(value);
    const expires = expiresAt === undefined && isSameValue ? known.expiresAt : expiresAt;
    const set = {
      ...{ name, type, value },
      description: (description === undefined ? known?.description : description) ?? null,
      ...(expires == null ? {} : { expiresAt: expires }),
    };
    if (known !== undefined && isSameVariable(known, set)) continue;
    next.set(name, { ...set, ...author, revision: revision + 1 });
  }
  const changed = [...next.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const isChanged = changed.some((variable) => variable.revision > revision);
  return isChanged ? { content: changed, revision: revision + 1 } : { content, revision };
};

const isSameVariable = (
  known: Variable,
  set: Omit<GivenVariable, 'type'> & Pick<Variable, 'type'>,
): boolean =>
  known.type === set.type &&
  known.description === set.description &&
  known.expiresAt === set.expiresAt &&
  JSON.stringify(known.value) === JSON.stringify(set.value);

/** @returns the variables without one, in the next revision */
export const withoutVariable = ({ content, revision }: Variables, name: string): Variables => ({
  content: content.filter((variable) => variable.name !== name),
  revision: revision + 1,
});

/** @returns why these are too many variables, or too large ones; null if they are not */
export const findExcess = (variables: readonly Variable[]): string | null => {
  if (variables.length > MAX_VARIABLES)
    return `a stage has at most ${MAX_VARIABLES} variables; these would be ${variables.length}`;
  const bytes = variables.reduce((sum, { value }) => sum + bytesOf(value), 0);
  return bytes > MAX_BYTES
    ? `the values of all variables have at most ${MAX_BYTES} bytes as JSON; these would have ${bytes}`
    : null;
};
