import { rmSync } from 'node:fs';
import { join } from 'node:path';

// A Serverless plugin, loaded by every `serverless` command: the backend of `serverless invoke local`, and a bundle folder
// for each process, so that commands can run in parallel. It is JavaScript and imports the rest on demand:
// packaging and deploying do not depend on it.

export default class LocalService {
  constructor(serverless) {
    const { service } = serverless;
    let running = null;

    // A command removes its bundles at the end, but not those of a running service.
    const bundleFolder = join('.esbuild', String(process.pid));
    const bundlePath = join(serverless.serviceDir, bundleFolder); // early: `invoke local` changes the service's folder
    service.custom.esbuild.outputWorkFolder = bundleFolder;
    process.once('exit', () => rmSync(bundlePath, { recursive: true, force: true }));

    const { tablePrefix } = service.custom;
    const startInvocation = async () => {
      service.provider.environment.OWN_PROCESS = ''; // the process is the framework's
      const { function: functionKey } = serverless.processedInput.options;
      const definition = service.getFunction(functionKey);
      if (definition.environment?.TABLE_PREFIX === undefined) return;
      const { connectInvocation } = await import('./invoke-backend.ts');
      running = await connectInvocation({ tablePrefix, functionKey });
      definition.environment = running.environment;
      Object.assign(process.env, running.environment);
    };

    this.hooks = {
      // A hook of every command, since later the framework would resolve the environment's references in AWS.
      initialize: async () => {
        if (serverless.processedInput.commands.join(' ') === 'invoke local') await startInvocation();
      },
      'after:invoke:local:invoke': async () => running?.stop(),
    };
  }
}
