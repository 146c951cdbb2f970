import {
  type AwsClient,
  type Clock,
  createRandom,
  type Files,
  type Services,
  type State,
  type TcpClient,
} from '@hookloom/plugin-kit';

const refuseFiles = () => Promise.reject(new Error('this node cannot use files'));

/** The services of pure nodes, which touch nothing outside. */
export const noFiles: Files = { save: refuseFiles, open: refuseFiles };

export const noAws: AwsClient = {
  send: () => Promise.reject(new Error('this node cannot call AWS')),
};

export const noTcp: TcpClient = {
  connect: () => Promise.reject(new Error('this node cannot open connections')),
};

export const noState: State = {
  run: () => Promise.reject(new Error('this node cannot use state')),
};

/**
 * Makes pure nodes deterministic, since a replay runs them again: their time is the start of the execution, and their
 * ids are drawn from a seeded generator.
 *
 * @param startedAt - start of the execution, ISO 8601
 * @returns a function that creates the services of one node run from its idempotency key
 */
export const createPureServices = (
  { clock: realClock }: { readonly clock: Clock },
  startedAt: string,
): ((seed: string) => Services) => {
  const now = Date.parse(startedAt);
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) => realClock.sleep(ms, signal),
  };
  const http: Services['http'] = {
    request: () => Promise.reject(new Error('a pure node cannot call out')),
  };
  return (seed) => {
    let random: (() => number) | undefined;
    return {
      clock,
      ids: {
        next: () => {
          random ??= createRandom(`${seed}/ids`); // for the first id: most nodes need none
          return [random(), random(), random(), random()].map(toHex).join('');
        },
      },
      http,
      tcp: noTcp,
      files: noFiles,
      aws: noAws,
      state: noState,
    };
  };
};

/** @param part - from 0 to 1 */
const toHex = (part: number): string =>
  Math.floor(part * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
