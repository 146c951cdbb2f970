import { settings } from '../parts/page-settings.ts';

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
export const startWorker = (): Worker => new Worker(workerScript, { type: 'module' });
