import { readdirSync } from 'node:fs';
// Renamed, because the file of a chunk begins with an import of `createRequire`.
import { createRequire as createRequireFrom } from 'node:module';
import { NodeError } from '@hookloom/plugin-kit';
import { didYouMean, quote } from '../../shared/describe.ts';
import { toOperationName } from '../../shared/iam/actions.ts';
import { findNearest } from '../../shared/near-name.ts';

/** A command of the SDK. Middleware that is added to it applies only to this call. */
export interface SdkCommand {
  readonly middlewareStack: { add(middleware: Middleware, options: object): void };
}

/** Documented at https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/Package/-smithy-types/ */
type Middleware = (
  next: (args: MiddlewareArguments) => Promise<{ readonly response: { body?: unknown } }>,
) => (args: MiddlewareArguments) => Promise<object>;

interface MiddlewareArguments {
  /** The request, which is available in the steps after `serialize`. */
  readonly request: { readonly protocol: string; readonly hostname: string; readonly port?: number };
}

export interface SdkClient {
  send(
    command: SdkCommand,
    options: { readonly abortSignal: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** A client package: the constructors of a client and of its commands. */
export interface SdkPackage {
  readonly Client: new (configuration: object) => SdkClient;
  /** @throws NodeError if there is no such operation */
  createCommand(operation: string, input: object): SdkCommand;
}

/** @throws NodeError if the package is missing, or the name can't be a service's */
export type LoadSdk = (service: string) => SdkPackage;

const SCOPE = '@aws-sdk';
const SERVICE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Loads client packages by Node's resolution from this module; in Lambda, `NODE_PATH` points to the runtime's packages.
 * No bundle contains them, since their names are known only during a run.
 */
export const createLoadSdk = (requirePackage = createRequireFrom(import.meta.url)): LoadSdk => {
  const load = (service: string): Readonly<Record<string, unknown>> => {
    const name = `${SCOPE}/client-${service}`;
    try {
      return requirePackage(name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // A package with a missing dependency fails with the same code.
      if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error;
      const near = findNearest(service, listServices(requirePackage.resolve.paths(name) ?? []));
      const reason = `the package ${name} is missing. It is part of Lambda's runtime; elsewhere, install it`;
      throw unknownService(`${reason}${didYouMean(near)}`);
    }
  };
  return (service) => {
    if (!SERVICE.test(service))
      throw unknownService(
        `${quote(service)} is not a service: it must be the name of a client package without ${SCOPE}/client-, such as dynamodb`,
      );
    return toPackage(service, load(service));
  };
};

const toPackage = (service: string, exported: Readonly<Record<string, unknown>>): SdkPackage => {
  const names = Object.keys(exported);
  const clientName = names.find((name) => /^[A-Z]\w*Client$/.test(name)) ?? '';
  return {
    Client: exported[clientName] as SdkPackage['Client'],
    createCommand: (operation, input) => {
      const name = `${toOperationName(operation)}Command`;
      if (!Object.hasOwn(exported, name)) {
        const operations = names.flatMap((known) => /^([A-Z]\w*)Command$/.exec(known)?.[1] ?? []);
        const near = findNearest(toOperationName(operation), operations);
        throw new NodeError(`${service} has no operation ${quote(operation)}${didYouMean(near)}`, {
          name: 'UnknownOperation',
          isRetryable: false,
          details: { service, operation },
        });
      }
      const Command = exported[name] as new (input: object) => SdkCommand;
      return new Command(input);
    },
  };
};

const unknownService = (reason: string): NodeError =>
  new NodeError(reason, { name: 'UnknownService', isRetryable: false });

/** The services whose clients are in these folders. */
const listServices = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) => {
    try {
      return readdirSync(`${folder}/${SCOPE}`).flatMap((name) => /^client-(.+)$/.exec(name)?.[1] ?? []);
    } catch {
      return []; // there is no such folder
    }
  });
