import {
  createResolveEnvironment,
  type LOCAL_VARIABLES,
  type LocalEnvironment,
} from '../../packages/local/functions/local-functions.ts';
import { readServiceFile } from '../../packages/local/functions/service-file.ts';
import { projectRoot } from './run-command.ts';

/** Read once for each worker: that takes 80 ms. */
export const serviceFile = readServiceFile(projectRoot, {});

const { functions } = serviceFile;
const resolve = createResolveEnvironment(functions);

/** Settings of docs/operating.md that an operator may add, and the provider's own, which all functions have. */
type Setting =
  | 'LOG_LEVEL'
  | 'OWN_PROCESS'
  | 'OUTBOUND_ALLOW'
  | 'OUTBOUND_LIMITS'
  | 'WORKFLOW_CACHE_SECONDS'
  | 'MAX_BODY_DEPTH'
  | 'DISABLED_PLUGINS'
  | 'PLUGIN_DEADLINE_MS'
  | 'TRACES';

export type LocalValues = Readonly<Partial<Record<(typeof LOCAL_VARIABLES)[number] | Setting, string>>>;

export const functionKeys: readonly string[] = functions.map(({ key }) => key);

/** The values of what serverless.yml gives to some functions and only a deployment can say, and of what Lambda sets. */
const deployed = {
  BLOB_BUCKET: 'blobs',
  PUBLIC_URL: 'https://example.com',
  WORKFLOW_ROLE: '',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

/** What the functions of a test have on this machine, for stores with a prefix: the tests' own by default. */
export const aLocalEnvironment = (values: LocalValues = {}, tablePrefix = 'test'): LocalEnvironment => {
  const defaults = { LOG_LEVEL: 'off', OWN_PROCESS: '' }; // the process is the tests'
  return { initial: {}, fixed: { ...deployed, TABLE_PREFIX: tablePrefix, ...defaults, ...values } };
};

/**
 * The environment of a function, as serverless.yml has it: a test can't give it more than settings and the endpoints of
 * this machine.
 */
export const environmentOf = (
  functionKey: string,
  values: LocalValues = {},
  tablePrefix = 'test',
): Record<string, string> => {
  const definition = functions.find(({ key }) => key === functionKey);
  if (definition === undefined) throw new Error(`there is no function ${functionKey} in serverless.yml`);
  return resolve(definition, aLocalEnvironment(values, tablePrefix));
};
