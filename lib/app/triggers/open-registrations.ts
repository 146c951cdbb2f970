import type { Logger } from '@hookloom/plugin-kit';
import type { AwsCallerOptions } from '../../adapters/aws/aws-caller.ts';
import { createOpenRegistrationContext } from '../../adapters/aws/registration-context.ts';
import { createSendStackResponse } from '../../adapters/aws/stack-response.ts';
import type { DynamoDbClient } from '../../adapters/dynamodb/client.ts';
import { createRegistrationStore } from '../../adapters/dynamodb/registrations/registration-store.ts';
import type { TableNames } from '../../adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { RegistrarParts } from '../../registrations/registrar.ts';
import { need, openConfig, openEventFunction, openLogger, openStores } from '../compose.ts';
import type { Config } from '../config.ts';
import { openPlugins } from '../sandbox.ts';

// A part of the composition root: registers triggers and receives their events.

/** For the function that receives the events of all triggers that register themselves. */
export const openDispatch = (config: Config = openConfig()) => {
  const parts = openEventFunction(config);
  return { ...parts, registrations: createRegistrationStore(parts.client, parts.tables, systemClock) };
};

/** For the registration sweeper. */
export const openRegistrations = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables } = openStores(config);
  const workflows = createWorkflowStore(client, tables, systemClock);
  const { loadNodeTypes } = openPlugins(config, logger);
  const registrar = openRegistrar(config, { client, tables, logger });
  return { ...registrar, workflows, loadNodeTypes, sendStackResponse: createSendStackResponse() };
};

interface RegistrarOptions extends Pick<AwsCallerOptions, 'readCredentials'> {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
  readonly logger: Logger;
}

/** Registers triggers, with the keys of the environment by default. */
export const openRegistrar = (
  config: Config,
  { client, tables, logger, ...keys }: RegistrarOptions,
): RegistrarParts => ({
  registrations: createRegistrationStore(client, tables, systemClock),
  openContext: createOpenRegistrationContext({
    prefix: need(config.tablePrefix, 'TABLE_PREFIX'),
    region: config.region,
    endpoint: config.sourcesEndpoint,
    now: systemClock.now,
    ...keys,
  }),
  clock: systemClock,
  logger,
});
