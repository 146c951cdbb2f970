import type { JsonObject } from '@hookloom/plugin-kit';
import type { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../workflows/definition/workflow-store.ts';

/** Why a request was refused that has reached no workflow: see `Refusal`. */
export const NO_WORKFLOW = 'workflow: there is none with this id';

/** A published workflow, and the path config of the trigger that a request fires. */
export interface Webhook {
  readonly workflow: PublishedWorkflow;
  readonly config: PathConfig;
  /** Values of the path's parameters; absent for a literal path. */
  readonly pathParams?: JsonObject;
  /**
   * For a request that fires nothing, but that a feature of the trigger may answer: its error unless one does. It is a CORS
   * preflight, or its method is none of the path's: that of a handshake, or any other for `cors`, which adds headers to the
   * error and throws it before other features see the request.
   */
  readonly refusal?: AppError;
}
