import { rmSync } from 'node:fs';
import { join } from 'node:path';

// A Serverless plugin, loaded by every `serverless` command. It puts the embedded DynamoDB and the sample workflows
// behind `serverless invoke local` and `serverless offline` (`npm start` needs neither), and lets commands run side by
// side. JavaScript, and everything else imported late: packaging and deploying depend on none of it.

export default class LocalService {
  constructor(serverless) {
    const { service } = serverless;
    let running = null;

    // One bundle folder per process: a command that tidies up must not take the bundles of a running service along.
    const bundleFolder = join('.esbuild', String(process.pid));
    const bundlePath = join(serverless.serviceDir, bundleFolder); // now: `invoke local` moves the service's folder
    service.custom.esbuild.outputWorkFolder = bundleFolder;
    process.once('exit', () => rmSync(bundlePath, { recursive: true, force: true }));

    const { tablePrefix } = service.custom;
    const usingStore = Object.values(service.functions).filter(
      ({ environment }) => environment?.TABLE_PREFIX,
    );

    const startForGateway = async () => {
      const { startGatewayBackend } = await import('./gateway-backend.ts');
      const offline = service.custom['serverless-offline'];
      running = await startGatewayBackend({
        tablePrefix,
        port: offline.httpPort,
        dataFolder: process.env.HOOKLOOM_DATA || undefined,
        environment: service.provider.environment, // from which the functions get theirs
      });
      // What a function says of its own environment is about AWS, and would win.
      for (const { environment } of usingStore) Object.assign(environment, service.provider.environment);
      offline.httpPort = running.port;
      offline.lambdaPort = running.lambdaPort;
    };

    const startForInvocation = async () => {
      service.provider.environment.OWN_PROCESS = ''; // it is the framework's
      const { environment } = service.getFunction(serverless.processedInput.options.function);
      if (environment?.TABLE_PREFIX === undefined) return;
      const { connectInvocation } = await import('./invocation-backend.ts');
      running = await connectInvocation({ tablePrefix, environment });
      Object.assign(process.env, environment);
    };

    const stop = async () => running?.stop();

    this.hooks = {
      // `serverless offline`, which has no hook between its start and its end
      'before:offline:start': async () => {
        await startForGateway();
        running.announce();
      },
      'after:offline:start': stop,
      'before:offline:start:init': startForGateway, // `serverless offline start`
      'before:offline:start:ready': () => running.announce(),
      'after:offline:start:end': stop,
      // Before the framework looks in an AWS account for what the environment refers to: this early, it is every command's.
      initialize: async () => {
        if (serverless.processedInput.commands.join(' ') === 'invoke local') await startForInvocation();
      },
      'after:invoke:local:invoke': stop,
    };
  }
}
