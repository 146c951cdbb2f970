import { createCredentialStore } from '../adapters/dynamodb/credential-store.ts';
import { createOpenRuns } from '../adapters/dynamodb/health/run-history.ts';
import { createListDefinitions } from '../adapters/dynamodb/health/workflow-definitions.ts';
import { createJsonClient } from '../adapters/dynamodb/json-client.ts';
import { createOutboundCredentialStore } from '../adapters/dynamodb/outbound-credential-store.ts';
import { tableNames } from '../adapters/dynamodb/table-names.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import type { Logger } from '../contract/services.ts';
import { createInspect, type Inspect, type InspectParts } from '../health/inspect.ts';
import type { Config } from './config.ts';

/** The inspection of the plugins by what this stage has stored. */
export const openInspect = (config: Config, logger: Logger, openTest: InspectParts['openTest']): Inspect => {
  const { region, dynamodbEndpoint: endpoint } = config;
  const tables = tableNames(config.tablePrefix ?? '');
  const client = createJsonClient({ region, endpoint });
  return createInspect({
    stores: {
      listWorkflows: createListDefinitions(client, tables),
      openRuns: createOpenRuns(client, tables),
      inbound: createCredentialStore(client, tables),
      outbound: createOutboundCredentialStore(client, tables),
    },
    openTest,
    clock: systemClock,
    logger,
  });
};
