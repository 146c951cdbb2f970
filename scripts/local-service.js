// A Serverless plugin, loaded by every `serverless` command, acting only on two: it puts the embedded DynamoDB
// and the sample workflows behind `serverless offline` (that is `npm start`) and `serverless invoke local`.
// JavaScript, and everything else imported late, so that packaging and deploying depend on none of it.

export default class LocalService {
  constructor(serverless) {
    const { service } = serverless;
    let running = null;

    const settings = () => ({
      tablePrefix: service.custom.tablePrefix,
      environment: service.provider.environment, // what the functions will see; the local service adds to it
    });

    const startForGateway = async () => {
      const { startGatewayBackend } = await import('./local/gateway-backend.ts');
      const offline = service.custom['serverless-offline'];
      running = await startGatewayBackend({ ...settings(), port: offline.httpPort });
      offline.httpPort = running.port;
      offline.lambdaPort = running.lambdaPort;
    };

    const startForInvocation = async () => {
      const name = serverless.processedInput.options.function;
      const usesStore = service.getFunction(name).environment?.TABLE_PREFIX !== undefined;
      if (!usesStore) return;
      const { connectInvocation } = await import('./local/invocation-backend.ts');
      running = await connectInvocation(settings());
    };

    const stop = async () => running?.stop();

    this.hooks = {
      'before:offline:start': startForGateway, // `serverless offline`
      'before:offline:start:init': startForGateway, // `serverless offline start`
      'before:offline:start:ready': () => running.announce(),
      'after:offline:start:end': stop,
      'before:invoke:local:invoke': startForInvocation,
      'after:invoke:local:invoke': stop,
    };
  }
}
