import { MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { namesOfOutputs } from '@hookloom/plugin-kit/host';
import * as v from 'valibot';
import * as field from './metadata-fields.ts';

/** The declarations that node types of both APIs share. */
export const declarations = {
  literalParameters: v.optional(field.names),
  checkParameters: v.optional(field.method),
  awsCalls: v.optional(field.method),
  outputs: v.optional(field.outputs),
  inputs: v.optional(field.names),
  endsBranch: v.optional(field.boolean),
  credentialTypes: v.optional(field.names),
  credentialRequired: v.optional(field.purity),
  credentialTypesFor: v.optional(field.method),
  example: v.optional(field.example),
};

const handle = v.pipe(
  field.shape({
    ...declarations,
    id: field.id,
    name: field.name,
    description: field.text,
    kind: field.oneOf(['trigger', 'action']),
    firedBy: v.optional(field.triggerSource),
    schema: field.schema,
    pure: v.optional(field.purity),
    control: v.optional(field.control),
    execute: field.method,
  }),
  v.forward(
    v.check(
      // If a function computes the outputs, they are not known here.
      ({ control, outputs = [MAIN_OUTPUT] }) =>
        control?.bodyOutput === undefined ||
        typeof outputs === 'function' ||
        namesOfOutputs(outputs, {}).includes(control.bodyOutput),
      ({ input }) => `must be one of its outputs, not ${field.describeValue(input.control?.bodyOutput)}`,
    ),
    // In valibot's types, a path ends at an optional field.
    ['control', 'bodyOutput'] as readonly string[] as readonly ['control'],
  ),
);

const credentialType = v.pipe(
  field.shape({
    id: field.id,
    name: field.name,
    description: field.text,
    schema: field.textFields,
    secretFields: field.names,
    hosts: v.optional(field.hosts),
    setsUrl: v.optional(field.boolean),
    apply: v.optional(field.method),
    test: v.optional(field.method),
  }),
  v.forward(
    v.check(
      ({ schema, secretFields }) => secretFields.every((name) => Object.hasOwn(schema.properties, name)),
      ({ input }) => `must be properties of its schema, not ${input.secretFields.join(', ')}`,
    ),
    ['secretFields'],
  ),
);

const dependency = field.shape({
  pluginId: field.id,
  version: v.optional(field.range),
  optional: v.optional(field.boolean),
});

const unifiedProvider = (listedId: string) =>
  v.pipe(
    field.shape({
      id: listed(listedId),
      name: field.name,
      version: field.version,
      description: field.text,
      category: field.text,
      handles: field.list(handle),
      credentialTypes: v.optional(field.list(credentialType)),
      dependencies: v.optional(field.list(dependency)),
      minimumServiceVersion: v.optional(field.version),
      init: v.optional(field.method),
      destroy: v.optional(field.method),
      healthCheck: v.optional(field.method),
    }),
    v.forward(
      v.check(
        ({ handles, credentialTypes = [] }) => handles.length + credentialTypes.length > 0,
        'must be a list with at least one entry',
      ),
      ['handles'],
    ),
  );

/** The id of a plugin, which its list knows. */
export const listed = (listedId: string) =>
  v.pipe(
    field.id,
    v.check(
      (found) => found === listedId,
      ({ input }) => `must be "${listedId}", as in the list of installed plugins, not "${input}"`,
    ),
  );

/** All problems of a unified provider; empty if it is valid. @param id - its id in the list of installed plugins */
export const checkUnified = (id: string, provider: unknown): string[] =>
  findProblems(unifiedProvider(id), provider);

/** What is wrong with an exported provider; empty if it is valid. */
export const findProblems = (provider: v.GenericSchema, value: unknown): string[] =>
  (v.safeParse(provider, value).issues ?? []).map(({ path = [], message }) =>
    path.length === 0
      ? `the export must be a provider, not ${field.describeValue(value)}`
      : `${toFieldPlace(path)} ${message}`,
  );

/** Formats a path such as `handles[0].id`. */
const toFieldPlace = (path: readonly { readonly key: unknown }[]): string =>
  path
    .map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);
