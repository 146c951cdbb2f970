import type { JsonObject } from '@hookloom/plugin-kit';
import type { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../workflows/definition/workflow-store.ts';

/** The reason for refusing a request that matches no workflow: see `Refusal`. */
export const NO_WORKFLOW = 'workflow: no workflow has this id';

/** A published workflow, with the path config of the trigger that a request fires. */
export interface Webhook {
  readonly workflow: PublishedWorkflow;
  readonly config: PathConfig;
  /** Values of the path's parameters; absent for a literal path. */
  readonly pathParams?: JsonObject;
  /**
   * For a request that fires nothing but that a feature may answer: the error if none does. Such a request is a CORS
   * preflight, or its method is not one of the path's: either the handshake method, or any other if `cors` is on, which
   * adds headers to the error and throws it before other features see the request.
   */
  readonly refusal?: AppError;
}
