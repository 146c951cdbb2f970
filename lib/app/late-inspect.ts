import { createJsonClient } from '../adapters/dynamodb/json-client.ts';
import { tableNames } from '../adapters/dynamodb/table-names.ts';
import { lateHttpClient } from '../adapters/http-client/late-http-client.ts';
import { lateTcpClient } from '../adapters/tcp-client/late-tcp-client.ts';
import type { Logger } from '../contract/services.ts';
import type { OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import type { Inspect } from '../health/inspect.ts';
import type { TestCredential } from '../health/probe-credentials.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { lazy } from '../shared/lazy.ts';
import type { Config } from './config.ts';

/** The live tests of credentials for calling out. */
export interface CredentialTests {
  readonly find: (id: string) => Promise<OutboundCredential | null>;
  readonly test: TestCredential;
}

/** The inspection of the plugins, whose code is loaded for the first report. */
export const lateInspect = (config: Config, logger: Logger): Inspect => {
  const openTests = lateCredentialTests(config);
  const load = lazy(async () =>
    (await import('./open-inspect.chunk.ts')).openInspect(
      config,
      logger,
      (registry) => openTests(registry).test,
    ),
  );
  return async (registry, options) => (await load())(registry, options);
};

/** The live tests, whose code is loaded for the first one. */
export const lateCredentialTests =
  (config: Config) =>
  ({ credentialTypes }: Pick<Registry, 'credentialTypes'>): CredentialTests => {
    const open = lazy(async () => {
      const { region, dynamodbEndpoint: endpoint, outboundAllow, tablePrefix } = config;
      const { openCredentialTests } = await import('./open-credentials.chunk.ts');
      return openCredentialTests(config, {
        client: createJsonClient({ region, endpoint }),
        tables: tableNames(tablePrefix ?? ''),
        http: lateHttpClient(outboundAllow),
        tcp: lateTcpClient(outboundAllow),
        findType: async (type) => credentialTypes.get(type) ?? null,
      });
    });
    return {
      find: async (id) => (await open()).find(id),
      test: async (id, signal) => (await open()).test(id, signal),
    };
  };
