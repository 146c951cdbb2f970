import { useEffect, useRef, useState } from 'react';
import type { DescribedData, PatchOperation } from '../../../../lib/workflows/definition/problem.ts';
import { callApi, fromFragment } from '../api/api.ts';
import type { Answer } from '../api/routes.ts';
import { settings } from '../parts/page-settings.ts';
import type { NodeDataTypes } from './describe-node.ts';
import type { FromValidator, ToValidator } from './messages.ts';
import type { Described, Findings, KnownTypes } from './validate-draft.ts';

/** What is wrong with a definition. */
export interface Validation<Definition> extends Findings {
  /** What was checked: an earlier definition, until there are findings on the present one. */
  readonly definition: Definition;
  /** Whether the service has checked it, too. */
  readonly isComplete: boolean;
}

/** Until the service is asked, in milliseconds after the last change. */
const PAUSE_MS = 1_000;

/**
 * Checks a definition as one types, in a worker, so that typing does not wait for it; and when nothing was changed for a
 * second, by the service, which finds all that the worker does. The worker also infers the types of one node's data.
 *
 * @param known - null until the declarations have arrived
 * @param nodeId - the node whose data is described; null for none
 * @returns the findings on the definition, on the one before until there are new ones, null before the first; and the types
 */
export const useValidation = <Definition>(
  definition: Definition,
  known: KnownTypes | null,
  nodeId: string | null,
) => {
  const [found, setFound] = useState<Validation<Definition> | null>(null);
  const [types, setTypes] = useState<NodeDataTypes | null>(null);
  const [described, setDescribed] = useState<Described | null>(null);
  const validator = useRef<ReturnType<typeof startValidator<Definition>>>(null);
  useEffect(() => {
    const started = startValidator<Definition>(
      (checked, findings) => setFound({ ...findings, definition: checked, isComplete: false }),
      setTypes,
    );
    validator.current = started;
    return () => started.stop();
  }, []);
  useEffect(() => {
    if (known !== null) validator.current?.learn(described === null ? known : { ...known, described });
  }, [known, described]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known from then on says more
  useEffect(() => {
    if (known !== null && nodeId !== null) validator.current?.describe(definition, nodeId);
  }, [definition, known, described, nodeId]);
  useEffect(() => {
    if (known !== null) validator.current?.check(definition);
  }, [definition, known]);

  const isOpen = found !== null && found.definition === definition && !found.isComplete;
  useEffect(() => {
    if (!isOpen) return;
    const controller = new AbortController();
    const timer = setTimeout(
      () =>
        askService(definition, controller.signal).then(
          ({ described: ofService, ...findings }) => {
            setFound({ ...findings, definition, isComplete: true });
            if (ofService !== undefined) setDescribed({ ...ofService, definition });
          },
          () => {}, // saving asks again, and shows why it can't be asked
        ),
      PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [definition, isOpen]);
  return { validation: found, types: types?.nodeId === nodeId ? types : null };
};

const askService = async (
  definition: unknown,
  signal: AbortSignal,
): Promise<Findings & { readonly described: DescribedData | undefined }> => {
  const { workflows } = await callApi('POST /api/admin/workflows/validate', {
    body: { workflows: [{ definition }], describe: true },
    signal,
  });
  const [checked] = workflows;
  const toProblems = (list: readonly PointedText[] = []) =>
    list.map(({ pointer, detail, proposal }) => ({
      path: toDefinitionPath(pointer),
      message: detail,
      ...(proposal && { proposal: proposal.map(toOperation) }),
    }));
  return {
    problems: toProblems(checked?.errors),
    warnings: toProblems(checked?.warnings),
    described: checked?.described as DescribedData | undefined,
  };
};

type PointedText = Answer<'POST /api/admin/workflows/validate'>['workflows'][number]['warnings'][number];

/** A pointer into the definition, of one into the request. */
const toDefinitionPath = (pointer: string): string =>
  fromFragment(pointer).replace(/^\/workflows\/0\/definition/, '');

const toOperation = (change: NonNullable<PointedText['proposal']>[number]): PatchOperation =>
  ({
    ...change,
    path: toDefinitionPath(change.path),
    ...(change.op === 'move' ? { from: toDefinitionPath(change.from) } : {}),
  }) as PatchOperation;

const NOTHING: Findings = { problems: [], warnings: [] };

/** Checks one definition at a time, and then the latest one; and describes nodes in the same way. */
const startValidator = <Definition>(
  onFound: (definition: Definition, findings: Findings) => void,
  onDescribed: (types: NodeDataTypes | null) => void,
) => {
  const worker = startWorker();
  const send = (message: ToValidator) => worker.postMessage(message);
  let isBroken = false;
  const checking = takeTurns<Definition>((definition) => {
    if (isBroken) onFound(definition, NOTHING);
    else send({ definition });
    return !isBroken;
  });
  const describing = takeTurns<{ readonly definition: Definition; readonly nodeId: string }>((asked) => {
    if (!isBroken) send(asked);
    return !isBroken;
  });
  worker.addEventListener('message', ({ data }: MessageEvent<FromValidator>) => {
    if ('types' in data) {
      onDescribed(data.types);
      describing.finish();
    } else {
      const checked = checking.finish();
      if (checked !== null) onFound(checked.work, data.findings);
    }
  });
  // It could not be loaded: what is wrong comes from the service, a second later.
  worker.addEventListener('error', () => {
    isBroken = true;
    const checked = checking.finish();
    if (checked !== null) onFound(checked.work, NOTHING);
    describing.finish();
  });
  return {
    learn: (known: KnownTypes) => send({ known }),
    check: checking.begin,
    describe: (definition: Definition, nodeId: string) => describing.begin({ definition, nodeId }),
    stop: () => worker.terminate(),
  };
};

/** Does one work at a time, and then the latest one that was asked for. @param start - returns whether it goes on until `finish` */
const takeTurns = <Work>(start: (work: Work) => boolean) => {
  let current: { readonly work: Work } | null = null;
  let next: { readonly work: Work } | null = null;
  const begin = (work: Work): void => {
    if (current !== null) {
      next = { work };
      return;
    }
    current = { work };
    if (!start(work)) current = null;
  };
  /** @returns what has ended; null if there was none */
  const finish = (): { readonly work: Work } | null => {
    const ended = current;
    current = null;
    const waiting = next;
    next = null;
    if (waiting !== null) begin(waiting.work);
    return ended;
  };
  return { begin, finish };
};

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** Null in a browser that does not ask for it. https://www.w3.org/TR/trusted-types/ */
const policy =
  (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('hookloom-worker', {
    createScriptURL: (address) => {
      if (address !== settings.worker) throw new TypeError(`${address} is not the script of workers`);
      return address;
    },
  }) ?? null;

const workerScript = policy?.createScriptURL(settings.worker) ?? settings.worker;

/** Starts a worker with the only script that the page's policy allows for one. */
const startWorker = (): Worker => new Worker(workerScript, { type: 'module' });
