import { type Logger, lazy } from '@hookloom/plugin-kit';
import type { OutboundCredential } from '../credentials/outbound/outbound-credential.ts';
import type { Inspect } from '../health/inspect.ts';
import type { TestCredential } from '../health/probe-credentials.ts';
import type { Registry } from '../plugins/load-registry.ts';
import type { Config } from './config.ts';

/** The live tests of outbound credentials. */
interface CredentialTests {
  readonly find: (id: string) => Promise<OutboundCredential | null>;
  readonly test: TestCredential;
}

export type OpenCredentialTests = (registry: Pick<Registry, 'credentialTypes'>) => Promise<CredentialTests>;

/** The inspection of the plugins, loaded for the first report. */
export const lateInspect = (config: Config, logger: Logger): Inspect => {
  const load = lazy(async () => (await import('./open-inspect.chunk.ts')).openInspect(config, logger));
  return async (registry, options) => (await load())(registry, options);
};

/** The live tests, loaded for the first one. */
export const lateCredentialTests =
  (config: Config): OpenCredentialTests =>
  async (registry) =>
    (await import('./open-inspect.chunk.ts')).openTests(config, registry);
