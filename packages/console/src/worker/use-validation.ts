import { useEffect, useRef, useState } from 'react';
import type { PatchOperation } from '../../../../lib/workflows/definition/problem.ts';
import { callApi, fromFragment } from '../api/api.ts';
import type { Answer } from '../api/routes.ts';
import { settings } from '../parts/page-settings.ts';
import type { Findings, KnownTypes, ToValidator } from './validate-draft.ts';

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
 * second, by the service, which finds all that the worker does.
 *
 * @param known - null until the declarations have arrived
 * @returns the findings on the definition; on the one before until there are new ones; null before the first
 */
export const useValidation = <Definition>(
  definition: Definition,
  known: KnownTypes | null,
): Validation<Definition> | null => {
  const [found, setFound] = useState<Validation<Definition> | null>(null);
  const validator = useRef<ReturnType<typeof startValidator<Definition>>>(null);
  useEffect(() => {
    const started = startValidator<Definition>((checked, findings) =>
      setFound({ ...findings, definition: checked, isComplete: false }),
    );
    validator.current = started;
    return () => started.stop();
  }, []);
  useEffect(() => {
    if (known !== null) validator.current?.learn(known);
  }, [known]);
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
          (findings) => setFound({ ...findings, definition, isComplete: true }),
          () => {}, // saving asks again, and shows why it can't be asked
        ),
      PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [definition, isOpen]);
  return found;
};

const askService = async (definition: unknown, signal: AbortSignal): Promise<Findings> => {
  const { workflows } = await callApi('POST /api/admin/workflows/validate', {
    body: { workflows: [{ definition }] },
    signal,
  });
  const [checked] = workflows;
  const toProblems = (list: readonly PointedText[] = []) =>
    list.map(({ pointer, detail, proposal }) => ({
      path: toDefinitionPath(pointer),
      message: detail,
      ...(proposal && { proposal: proposal.map(toOperation) }),
    }));
  return { problems: toProblems(checked?.errors), warnings: toProblems(checked?.warnings) };
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

/** Checks one definition at a time, and then the latest one. */
const startValidator = <Definition>(onFound: (definition: Definition, findings: Findings) => void) => {
  const worker = startWorker();
  const send = (message: ToValidator) => worker.postMessage(message);
  let checked: Definition | undefined;
  let next: { readonly definition: Definition } | null = null;
  let isBusy = false;
  let isBroken = false;
  const check = (definition: Definition) => {
    if (isBroken) onFound(definition, NOTHING);
    if (isBusy) next = { definition };
    if (isBroken || isBusy) return;
    isBusy = true;
    checked = definition;
    send({ definition });
  };
  const finish = (findings: Findings) => {
    isBusy = false;
    if (checked !== undefined) onFound(checked, findings);
    if (next === null) return;
    const { definition } = next;
    next = null;
    check(definition);
  };
  worker.addEventListener('message', ({ data }: MessageEvent<Findings>) => finish(data));
  // It could not be loaded: what is wrong comes from the service, a second later.
  worker.addEventListener('error', () => {
    isBroken = true;
    finish(NOTHING);
  });
  return { learn: (known: KnownTypes) => send({ known }), check, stop: () => worker.terminate() };
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
