import { createDynamoDbClient } from '../../../lib/dynamodb/client.ts';
import { startEngineServer } from './engine-server.ts';
import { createExpressRuns } from './express-runs.ts';
import { createInvoke } from './invoke-in-process.ts';
import { LocalEngine } from './local-engine.ts';
import { openStateStore } from './state-store.ts';

/** As Lambda's schedule, but quicker: who tries things out does not wait five minutes. */
const SWEEP_INTERVAL_MS = 30_000;

export interface StartedEngine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * The local engine for background runs: its API, its table, its schedule.
 * @param environment of the functions that it calls; gets the engine's own address
 */
export const startEngine = async (
  dynamodbEndpoint: string,
  tablePrefix: string,
  environment: Record<string, string | undefined>,
  log: (line: string) => void,
): Promise<StartedEngine> => {
  const client = createDynamoDbClient(dynamodbEndpoint);
  const store = await openStateStore(client, `${tablePrefix}-local-durable`);
  const processes = createInvoke(environment, log);
  const engine = new LocalEngine({ store, invoke: processes.invoke, log });
  const express = createExpressRuns({ invoke: processes.invoke, log });
  const server = await startEngineServer({ engine, express });
  environment.AWS_ENDPOINT_URL_LAMBDA = server.endpoint;
  await engine.resumeAll();

  const sweep = () => {
    const event = { event: { source: 'aws.events' }, requestId: 'schedule' };
    processes.invoke('sweep', event, 'sweep').catch((error: Error) => log(`sweep: ${error.message}`));
  };
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  timer.unref(); // it must not keep a process alive that is otherwise done

  return {
    endpoint: server.endpoint,
    stop: async () => {
      clearInterval(timer);
      express.close();
      const closed = engine.close();
      processes.stop();
      await server.stop();
      await closed;
      client.destroy();
    },
  };
};
