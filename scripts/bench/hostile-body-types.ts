import { aServiceWithBody } from '../../tests/support/a-body-service.ts';
import type { AWorkflow } from '../../tests/support/a-webhook-service.ts';
import { type HostileBody, hostileBodies } from '../../tests/support/hostile-bodies.ts';
import { cpuOfCall, median, printTable } from './measure.ts';

const rounds = 3;
/** Larger bodies are refused where their bytes are handed over. */
const MAX_RAW_BYTES = 3_000_000;
/** CPU milliseconds of a request and its run. */
const aim = 200;

/** Features that read the body, or the bytes. */
const workflow: AWorkflow = {
  webhook: {
    responseMode: 'onReceived',
    maxBodyBytes: 6 * 1024 * 1024,
    schema: { type: ['array', 'object', 'string', 'number'] },
    onlyIf: '$exists(body)',
  },
};

/**
 * Sends what is slow to parse, as each type of body: stored, run in the background, and answered by 202; or a 4xx.
 *
 * @param bytes - of the largest bodies
 */
export const benchHostileBodyTypes = async (bytes: number): Promise<void> => {
  for (const raw of [false, true]) {
    const { send } = await aServiceWithBody({ raw }, workflow);
    const call = async ({ contentType, body, encoding }: HostileBody): Promise<number> => {
      const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
      const { statusCode = 0 } = await send(body, contentType, headers);
      if (statusCode === 202 || (statusCode >= 400 && statusCode < 500)) return statusCode;
      throw new Error(`a hostile body was answered by ${statusCode}`);
    };
    const rows = [];
    for (const hostile of hostileBodies(raw ? Math.min(bytes, MAX_RAW_BYTES) : bytes)) {
      const times: number[] = [];
      const statuses = new Set<number>();
      for (let round = 0; round < rounds; round++)
        times.push(await cpuOfCall(async () => statuses.add(await call(hostile))));
      rows.push({ ...hostile, time: median(times), statuses: [...statuses] });
    }
    rows.sort((a, b) => b.time - a.time);
    printTable(
      `A request with a body that is slow to parse${raw ? ', handed over as received too' : ''} (aim: at most ${aim} ms)`,
      ['', 'type', 'status', 'CPU ms'],
      rows
        .slice(0, 25)
        .map(({ name, contentType, statuses, time }) => [
          name,
          contentType.slice(0, 40),
          statuses.join(),
          time.toFixed(0),
        ]),
    );
  }
};
