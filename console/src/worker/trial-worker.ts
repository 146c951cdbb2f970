import type { PageTrial, ToTrials, TrialRequest } from './run-trial.ts';
import { startWorker } from './start-worker.ts';
import type { KnownTypes } from './validate-draft.ts';

/** Runs pure nodes of a draft, in a worker that can't freeze the page. */
export interface TrialWorker {
  /**
   * Runs a node after those that were asked for before. An aborted run is dropped, and ended if it has begun.
   *
   * @returns null if the node did not run: only the service can run it, it takes too long, or the signal is aborted
   */
  run(trial: WholeTrial, signal: AbortSignal): Promise<PageTrial>;
  stop(): void;
}

interface WholeTrial extends Pick<TrialRequest, 'nodeId' | 'outputs' | 'variables'> {
  readonly known: KnownTypes;
  readonly definition: unknown;
}

/** How long a node may run: the engine counts steps, but what a node does within a step may take long. In milliseconds. */
const MAX_RUN_MS = 5_000;
/** How long an aborted run may go on: most end at once, and starting another worker takes longer. */
const MAX_ABORTED_MS = 500;

/** Runs nodes one at a time. The worker is started by the first run, and anew after one that took too long. */
export const createTrialWorker = (): TrialWorker => {
  let open: OpenWorker | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  const runNow = async (trial: WholeTrial, signal: AbortSignal): Promise<PageTrial> => {
    if (signal.aborted) return null;
    open ??= openWorker();
    const current = open;
    if (!(await current.isLoaded) || signal.aborted) return null;
    const { known, definition, ...rest } = trial;
    const { sent } = current;
    const answer = current.ask({
      trial: {
        ...rest,
        ...(sent.known === known ? {} : { known }),
        ...(sent.definition === definition ? {} : { definition }),
      },
    });
    current.sent = { known, definition };
    // Data that can't be sent, and a worker that failed.
    const ended = await withinLimit(answer, signal).catch((): typeof LATE => LATE);
    if (ended !== LATE) return ended;
    current.worker.terminate();
    if (open === current) open = null;
    return null;
  };
  return {
    run: (trial, signal) => {
      const run = queue.then(() => runNow(trial, signal));
      queue = run;
      return run;
    },
    stop: () => {
      open?.worker.terminate();
      open = null;
    },
  };
};

interface OpenWorker {
  readonly worker: Worker;
  /** False if the script can't be loaded: then the service runs all nodes. */
  readonly isLoaded: Promise<boolean>;
  readonly ask: (message: ToTrials) => Promise<PageTrial>;
  /** What the worker has: it is not sent again with each node. */
  sent: Partial<Pick<WholeTrial, 'known' | 'definition'>>;
}

const openWorker = (): OpenWorker => {
  const worker = startWorker();
  const ask = (message: ToTrials): Promise<PageTrial> =>
    new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<PageTrial>) => resolve(data), {
        once: true,
      });
      worker.addEventListener('error', reject, { once: true });
      worker.postMessage(message);
    });
  const isLoaded = ask({ load: 'trials' }).then(
    () => true,
    () => false,
  );
  return { worker, isLoaded, ask, sent: {} };
};

const LATE = 'late';

const withinLimit = (answer: Promise<PageTrial>, signal: AbortSignal): Promise<PageTrial | typeof LATE> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(LATE);
    const timer = setTimeout(giveUp, MAX_RUN_MS);
    const onAbort = () => setTimeout(giveUp, MAX_ABORTED_MS);
    signal.addEventListener('abort', onAbort, { once: true });
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
