/** The path below which the console is, without a trailing slash. */
export const CONSOLE_PATH = '/console';

/** Where the page begins and finishes sign-ins, below `/console`: routes of its own server, not of the admin API. */
export const SIGN_INS_PATH = '/console/sign-ins';

/** Facts about the service, which its server puts into the page. */
export interface ConsoleSettings {
  /** The name of the stage; null for the service on this machine. */
  readonly stage: string | null;
  /** Whether what serves it refuses every change. */
  readonly isReadOnly: boolean;
}

export interface PageSettings extends ConsoleSettings {
  /** The address of the script of workers, which check workflows and try nodes. */
  readonly worker: string;
}
