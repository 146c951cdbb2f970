import { isDeepStrictEqual } from 'node:util';
import { isId } from '@hookloom/plugin-kit/host';
import * as v from 'valibot';
import type { DescribedCredential } from '../../lib/app/credentials.ts';
import { VARIABLE_TYPES } from '../../lib/shared/settings/settings.ts';
import { isVariableName } from '../../lib/shared/settings/variables.ts';
import { findCredentialUses } from '../../lib/workflows/definition/credential-uses.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { findVariables } from '../../lib/workflows/definition/find-variables.ts';
import type { TargetContext } from './command.ts';
import { CREDENTIALS } from './credential-api.ts';
import {
  compareStageFile,
  pullStageFile,
  readStageFile,
  type StageDifference,
  type StageFile,
  writeOptions,
} from './stage-file.ts';
import { VARIABLES, type VariableList } from './variable-commands.ts';

/** An object with these keys alone. */
const entryOf = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, ({ expected }) =>
    expected === 'never'
      ? `is no key of an entry: ${Object.keys(entries).join(', ')}`
      : expected === 'Object'
        ? 'must be an object'
        : `is missing`,
  );

const credential = entryOf({
  type: v.string('must be text'),
  username: v.optional(v.string('must be text')),
  fields: v.optional(v.record(v.string(), v.string('must be text'), 'must be an object')),
  hosts: v.optional(v.nullable(v.array(v.string('must be text'), 'must be a list'))),
});

type StatedCredential = v.InferOutput<typeof credential>;

const toStated = (described: DescribedCredential): StatedCredential => {
  const { type } = described;
  if (described.direction === 'inbound')
    return described.username === null ? { type } : { type, username: described.username };
  const fields = Object.entries(described.fields).sort(([one], [other]) => (one < other ? -1 : 1));
  const { hosts } = described;
  return { type, fields: Object.fromEntries(fields), hosts: hosts === null ? null : [...hosts] };
};

const toCreateCommand = (id: string, { type, username, fields = {}, hosts }: StatedCredential): string => {
  const user = username === undefined ? '' : writeOptions('--username', [username]);
  const named = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return `credential create ${id} --type ${type}${user}${writeOptions('--field', named)}${writeOptions('--host', hosts ?? [])}`;
};

const credentials: StageFile<StatedCredential> = {
  file: 'credentials.stage.json',
  noun: 'credential',
  entry: credential,
  isName: isId,
  readStored: async ({ target }) => {
    const listed = await target.api.list<DescribedCredential>(CREDENTIALS, 'credentials');
    return new Map(listed.map((described) => [described.id, toStated(described)]));
  },
  toCreateCommand,
  toChangeCommand: (id, wanted, differing) =>
    isDeepStrictEqual(differing, ['hosts'])
      ? `credential hosts ${id}${writeOptions('--host', wanted.hosts ?? [])}`
      : `credential remove ${id} --force, then ${toCreateCommand(id, wanted)}`,
};

const variable = entryOf({
  type: v.picklist(VARIABLE_TYPES, `must be one of ${VARIABLE_TYPES.join(', ')}`),
  description: v.optional(v.nullable(v.string('must be text'))),
});

type StatedVariable = v.InferOutput<typeof variable>;

const toSetCommand = (name: string, { type, description }: StatedVariable): string =>
  `variable set ${name} VALUE --type ${type}${writeOptions('--description', description ? [description] : [])}`;

/** Names and types; the values are those of each stage. */
const variables: StageFile<StatedVariable> = {
  file: 'variables.stage.json',
  noun: 'variable',
  entry: variable,
  isName: isVariableName,
  readStored: async ({ target }) => {
    const { variables: listed } = await target.api.call<VariableList>('GET', VARIABLES);
    return new Map(listed.map(({ name, type, description }) => [name, { type, description }]));
  },
  toCreateCommand: toSetCommand,
  toChangeCommand: toSetCommand,
};

/**
 * What a folder says of the credentials and variables that its workflows use, and that is not so in the service.
 *
 * @throws CommandError for an invalid file
 */
export const compareStage = async (
  folder: string,
  definitions: readonly WorkflowDefinition[],
  context: TargetContext,
): Promise<readonly StageDifference[]> => [
  ...(await compareStageFile(folder, credentials, usesCredential(definitions), context)),
  ...(await compareStageFile(folder, variables, usesVariable(definitions), context)),
];

/** What a folder states of credentials and variables. @throws CommandError for an invalid file */
export const readStage = async (folder: string, context: Pick<TargetContext, 'io'>) => ({
  credentials: await readStageFile(folder, credentials, context),
  variables: await readStageFile(folder, variables, context),
});

/** Writes the names of the credentials and variables that workflows use into a folder. */
export const pullStage = async (
  folder: string,
  definitions: readonly WorkflowDefinition[],
  context: TargetContext,
): Promise<void> => {
  await pullStageFile(folder, credentials, usesCredential(definitions), context);
  await pullStageFile(folder, variables, usesVariable(definitions), context);
};

const usesCredential = (definitions: readonly WorkflowDefinition[]) => {
  const uses = definitions.flatMap(({ nodes }) =>
    nodes.flatMap((node) => findCredentialUses(node, () => null)),
  );
  const used = new Set(uses.map(({ credentialId }) => credentialId));
  return (id: string): boolean => used.has(id);
};

const usesVariable = (definitions: readonly WorkflowDefinition[]) => {
  const read = findVariables(definitions.map(({ nodes }) => nodes.map(({ parameters }) => parameters)));
  return (name: string): boolean => read === 'all' || read.includes(name);
};
